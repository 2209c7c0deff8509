#!/usr/bin/env python3
"""Makes the files beside it with ffmpeg (made with 5.1): one rising sweep in each container and codec.

The tests compute the same sweep and compare: x(t) = 0.5 sin(2 pi (200 t + 400 t^2)) (0.6 + 0.4 sin(6 pi t)), rounded to
16 bits; the right channel is -x / 2. Lengths are no multiples of any codec's frame.
"""
import math, os, struct, subprocess, tempfile, wave

HERE = os.path.dirname(os.path.abspath(__file__))


def sweep(rate, n):
    for i in range(n):
        t = i / rate
        yield 0.5 * math.sin(2 * math.pi * (200 * t + 400 * t * t)) * (0.6 + 0.4 * math.sin(6 * math.pi * t))


def write(path, rate, n, channels):
    with wave.open(path, "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(2)
        out.setframerate(rate)
        for x in sweep(rate, n):
            for value in (x, -x / 2)[:channels]:
                out.writeframesraw(struct.pack("<h", math.floor(value * 32768 + 0.5)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        long, short, opus = (os.path.join(folder, name + ".wav") for name in ("long", "short", "opus"))
        write(long, 44100, 30011, 2)
        write(short, 44100, 3002, 2)
        write(opus, 48000, 40013, 1)

        def ffmpeg(source, name, *options, before=()):
            target = os.path.join(HERE, name)
            command = ["ffmpeg", "-v", "error", "-y", *before, "-i", source, "-bitexact", *options, target]
            subprocess.check_call(command)

        aac = ("-c:a", "aac", "-b:a", "128k")
        ffmpeg(long, "aac.m4a", *aac)
        ffmpeg(long, "aac_pause.m4a", *aac, before=("-itsoffset", "0.25"))
        ffmpeg(long, "aac_fragments.mp4", *aac, "-movflags", "empty_moov", "-frag_duration", "200000")
        ffmpeg(long, "aac.aac", *aac)
        ffmpeg(long, "mp2.mp2", "-c:a", "mp2", "-b:a", "128k")
        ffmpeg(opus, "opus.opus", "-c:a", "libopus", "-b:a", "64k")
        ffmpeg(short, "alac.m4a", "-c:a", "alac")
        ffmpeg(short, "alac.caf", "-c:a", "alac")
        ffmpeg(short, "pcm24.caf", "-c:a", "pcm_s24be")
        ffmpeg(short, "pcm16.au")
        ffmpeg(short, "mulaw.au", "-c:a", "pcm_mulaw")
        ffmpeg(short, "alaw.au", "-c:a", "pcm_alaw")
        ffmpeg(short, "float32.au", "-c:a", "pcm_f32be")
        ffmpeg(short, "pcm16.w64")
        ffmpeg(short, "float32.w64", "-c:a", "pcm_f32le")


if __name__ == "__main__":
    main()
