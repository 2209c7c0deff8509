//! `features --list`, `--shard` and `--merge`: many processes write the same bytes as one, and what does not belong
//! together is refused.
#![allow(clippy::print_stdout, reason = "what could not be tested here is told")]

use super::features::{RATE, many_sounds, signal, write, written};
use super::support::feature_orders::feature_work;
use super::support::program::Place;
use serde_json::Value;
use sonobrush::base::Progress;
use sonobrush::library::features::{ShardOrder, write_shard};
use std::process::Stdio;
use std::time::Duration;

fn shard(place: &Place, which: &str) -> String {
    place.done(&["features", "--shard", which, "--manifest", "m.json", "-o", "shards"])
}

fn names_in(place: &Place, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn small(place: &Place, n: usize) {
    std::fs::create_dir(place.path("in")).unwrap();
    for file in 0..n {
        let samples = signal(4_096 + 512 * file).into_iter().map(|sample| sample / (file as i64 + 1)).collect();
        write(place, &format!("in/{file:03}.wav"), samples, RATE);
    }
}

/// Three processes share 400 files; one is killed in the middle and starts again, one shard is computed twice at the
/// same time.
#[test]
fn shards_merge_to_the_bytes_of_one_process() {
    let place = Place::new();
    many_sounds(&place, 400);
    place.done(&["features", "in", "-o", "whole"]);
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    let start = |which: &str| {
        let arguments = ["features", "--shard", which, "--manifest", "m.json", "-o", "shards", "--jobs", "1"];
        place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    #[cfg(unix)]
    {
        let arguments = ["features", "--shard", "1/3", "--manifest", "m.json", "-o", "shards"];
        let mut killed = super::features::stopped_midway(&place, &arguments, "shards/shard-00001-of-00003");
        killed.kill().unwrap();
        killed.wait().unwrap();
        let missing = place.failed(&["features", "--merge", "shards", "-o", "merged"]);
        assert!(missing.contains("no shards were found"), "{missing}");
    }
    // At the same time: two of shard 0, one of each other.
    let all = ["0/3", "0/3", "1/3", "2/3"].map(start);
    for child in all {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let expected: Vec<String> = (0..3).map(|k| format!("shard-{k:05}-of-00003")).collect();
    assert_eq!(names_in(&place, "shards"), expected);
    for shard in &expected {
        let names = ["features.json", "features.npy", "files.parquet", "mapping.npy"];
        assert_eq!(names_in(&place, &format!("shards/{shard}")), names);
        assert!(place.done(&["features", "--verify", &format!("shards/{shard}")]).contains("intact"));
    }
    // Once more: it is there, and is left alone.
    let before = std::fs::metadata(place.path("shards/shard-00002-of-00003/features.json")).unwrap();
    assert!(shard(&place, "2/3").contains("shard 2/3"));
    let after = std::fs::metadata(place.path("shards/shard-00002-of-00003/features.json")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());

    // Its own arrays would go with it.
    let first = "shards/shard-00000-of-00003";
    let said = place.failed(&["features", "--merge", "shards", "-o", first, "--replace", "--keep-shards"]);
    assert!(said.contains("is one of the shards"), "{said}");

    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(written(&place, "merged") == written(&place, "whole"));
    assert!(place.done(&["features", "--verify", "merged"]).contains("intact, 400 files"));
    let report: Value = serde_json::from_slice(&place.read("merged/features.json")).unwrap();
    assert_eq!(report["shards"].as_array().unwrap().len(), 3);
    assert!(!place.path("merged.partial").exists());
    assert_eq!(names_in(&place, "merged"), names_in(&place, "whole"));
    // Merged by name, in any order, and by an index alone.
    let mut arguments = vec!["features", "--merge"];
    let paths: Vec<String> = expected.iter().rev().map(|name| format!("shards/{name}")).collect();
    arguments.extend(paths.iter().map(String::as_str));
    arguments.extend(["-o", "merged", "--replace"]);
    place.done(&arguments);
    assert!(written(&place, "merged") == written(&place, "whole"));
    place.done(&["features", "--merge", "shards", "-o", "index", "--keep-shards"]);
    assert_eq!(names_in(&place, "index"), ["features.json", "files.parquet"]);
    assert!(place.read("index/files.parquet") == place.read("whole/files.parquet"));
    assert!(place.done(&["features", "--verify", "index"]).contains("intact, 400 files"));
    // The control: another share of the work is another array.
    assert!(
        place.read("shards/shard-00000-of-00003/features.npy")
            != place.read("shards/shard-00001-of-00003/features.npy")
    );
}

/// The first builder who is done looks for folders that others left, while the others remove theirs.
#[test]
fn builders_of_one_shard_do_not_stumble_over_each_other() {
    let place = Place::new();
    small(&place, 2);
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    let order = ShardOrder {
        manifest: place.path("m.json"),
        root: None,
        index: 0,
        of: 1,
        folder: place.path("shards"),
        work: feature_work(Duration::MAX),
        engine: None,
    };
    for round in 0..50 {
        std::thread::scope(|scope| {
            let builders = [(); 4].map(|()| scope.spawn(|| write_shard(&order, &Progress::new(), &mut |_| {})));
            for builder in builders {
                if let Err(error) = builder.join().unwrap() {
                    panic!("round {round}: {error}");
                }
            }
        });
        std::fs::remove_dir_all(place.path("shards/shard-00000-of-00001")).unwrap();
        assert!(names_in(&place, "shards").is_empty(), "round {round}: {:?}", names_in(&place, "shards"));
    }
}

#[test]
fn a_shard_is_a_run_of_neighbours_and_may_be_empty() {
    let place = Place::new();
    small(&place, 5);
    place.done(&["features", "in", "-o", "whole"]);
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    for of in [1, 2, 4, 5, 7] {
        std::fs::remove_dir_all(place.path("shards")).ok();
        for index in 0..of {
            shard(&place, &format!("{index}/{of}"));
            let report: Value =
                serde_json::from_slice(&place.read(&format!("shards/shard-{index:05}-of-{of:05}/features.json")))
                    .unwrap();
            let expected: Vec<usize> = (0..5).filter(|file| file * of / 5 == index).collect();
            let [first, end] = [0, 1].map(|k| report["shard"]["files"][k].as_u64().unwrap() as usize);
            assert_eq!((first..end).collect::<Vec<_>>(), expected, "{index}/{of}");
            assert_eq!(report["shape"][0], expected.len() * 237);
        }
        place.done(&["features", "--merge", "shards", "-o", "merged", "--replace"]);
        assert!(written(&place, "merged") == written(&place, "whole"), "{of}");
    }
}

/// Some clusters' file systems have no locks: a process cannot know which others build a shard, so each builds in a
/// folder of its own.
#[test]
#[cfg(target_os = "linux")]
fn shards_need_no_locks() {
    let place = Place::new();
    small(&place, 40);
    place.done(&["features", "in", "-o", "whole"]);
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    let start = |which: &str| {
        let mut command = place.other("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=ENOSYS"]);
        command.arg(super::support::program::program());
        command.args(["features", "--shard", which, "--manifest", "m.json", "-o", "shards"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
    };
    let children: Vec<_> = ["0/2", "0/2", "0/2", "1/2"].map(start).into_iter().collect();
    for child in children {
        let Ok(child) = child else { return println!("strace is not there; scripts/test installs it") };
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(names_in(&place, "shards"), ["shard-00000-of-00002", "shard-00001-of-00002"]);
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(written(&place, "merged") == written(&place, "whole"));
}

#[test]
fn the_list_is_the_same_for_the_same_folders_and_may_move() {
    let place = Place::new();
    small(&place, 3);
    std::fs::create_dir(place.path("more")).unwrap();
    write(&place, "more/x.wav", signal(4_096), RATE);
    let list = |name: &str| {
        place.done(&["features", "--list", "in", "more/x.wav", "-o", name, "--mels", "16"]);
        place.read(name)
    };
    assert!(list("m.json") == list("n.json"));
    let manifest: Value = serde_json::from_slice(&place.read("m.json")).unwrap();
    let folder = std::fs::canonicalize(place.folder.path()).unwrap();
    assert_eq!(manifest["root"], folder.to_str().unwrap());
    let paths: Vec<&str> =
        manifest["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["in/000.wav", "in/001.wav", "in/002.wav", "more/x.wav"]);
    assert!(place.failed(&["features", "--list", "in", "-o", "m.json"]).contains("--replace"));
    place.done(&["features", "in", "more/x.wav", "-o", "whole", "--mels", "16"]);
    // The files elsewhere, with their times.
    std::fs::create_dir(place.path("away")).unwrap();
    for name in ["in", "more"] {
        std::fs::rename(place.path(name), place.path("away").join(name)).unwrap();
    }
    let said = place.failed(&["features", "--shard", "0/2", "--manifest", "m.json", "-o", "shards"]);
    assert!(said.contains("in/000.wav and 1 more") && said.contains("list the files again"), "{said}");
    for which in ["0/2", "1/2"] {
        place.done(&["features", "--shard", which, "--manifest", "m.json", "-o", "shards", "--root", "away"]);
    }
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(written(&place, "merged") == written(&place, "whole"));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let place = Place::new();
    small(&place, 4);
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    place.done(&["features", "--list", "in", "-o", "other.json", "--mels", "8"]);
    let usage = |arguments: &str, why: &str| {
        let output = place.run(&arguments.split_whitespace().collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(why), "{arguments}: {said}");
    };
    for which in ["3/2", "2/2", "-1/4", "0/0", "1", "a/b", "0/100000"] {
        usage(&format!("features --shard {which} --manifest m.json -o shards"), "from 0/N to N-1/N");
    }
    usage("features --shard 0/2 -o shards", "--manifest");
    usage("features --manifest m.json -o shards", "--shard");
    usage("features in --shard 0/2 --manifest m.json -o shards", "cannot be used with");
    usage("features --shard 0/2 --manifest m.json -o shards --mels 8", "cannot be used with");
    usage("features --merge shards -o out --mels 8", "cannot be used with");
    usage("features --verify out -o other", "cannot be used with");
    usage("features --list in --merge -o other", "cannot be used with");
    usage("features in", "--output");
    assert!(!place.path("shards").exists());

    shard(&place, "0/2");
    let said = place.failed(&["features", "--merge", "shards", "-o", "out"]);
    assert!(said.contains("shard 1 of 2 missing"), "{said}");
    // A shard of another manifest, in its place and beside it.
    let other = ["features", "--shard", "1/2", "--manifest", "other.json", "-o"];
    place.done(&[&other[..], &["others"]].concat());
    let said = place.failed(&["features", "--merge", "shards", "others", "-o", "out"]);
    assert!(said.contains("another manifest"), "{said}");
    shard(&place, "1/2");
    let said = place.failed(&[&other[..], &["shards"]].concat());
    assert!(said.contains("shard of another manifest") && said.contains("--replace"), "{said}");
    let said = place.failed(&["features", "--merge", "shards", "shards/shard-00001-of-00002", "-o", "out"]);
    assert!(said.contains("named twice"), "{said}");
    // A damaged shard.
    let path = "shards/shard-00001-of-00002/mapping.npy";
    let whole = place.read(path);
    let mut damaged = whole.clone();
    damaged[1_000] ^= 1;
    place.write(path, damaged);
    let said = place.failed(&["features", "--merge", "shards", "-o", "out"]);
    assert!(said.contains("mapping.npy") && said.contains("damaged"), "{said}");
    assert!(!place.path("out").exists() && !place.path("out.partial").exists());
    place.write(path, &whole[..whole.len() - 1]);
    let said = place.failed(&["features", "--shard", "1/2", "--manifest", "m.json", "-o", "shards"]);
    assert!(said.contains("bytes instead of"), "{said}");
    place.done(&["features", "--shard", "1/2", "--manifest", "m.json", "-o", "shards", "--replace"]);
    place.done(&["features", "--merge", "shards", "-o", "out"]);
    assert!(place.failed(&["features", "--merge", "shards", "-o", "out"]).contains("--replace"));
    assert!(place.failed(&["features", "--merge", "out", "-o", "more"]).contains("no shard"));
    // A manifest whose files changed, and ones that are damaged.
    std::fs::remove_dir_all(place.path("shards")).unwrap();
    write(&place, "in/001.wav", signal(10), RATE);
    let said = place.failed(&["features", "--shard", "0/2", "--manifest", "m.json", "-o", "shards"]);
    assert!(said.contains("001.wav, which changed or is gone"), "{said}");
    shard(&place, "1/2");
    let text = String::from_utf8(place.read("m.json")).unwrap();
    for (from, to) in [
        ("000.wav", "../000.wav"),
        ("\"first_row\":237", "\"first_row\":238"),
        ("\"version\":1", "\"version\":2"),
        ("\"n_mels\"", "\"moles\""),
        ("\n]}", ""),
        ("\"hop\":16", "\"hop\":0"),
    ] {
        assert!(text.contains(from), "{from}");
        place.write("m.json", text.replace(from, to));
        let said = place.failed(&["features", "--shard", "1/2", "--manifest", "m.json", "-o", "shards"]);
        assert!(said.contains("m.json"), "{said}");
    }
}

/// What drives shards on a cluster is one file under 150 lines: it says what to run, and leaves the rest to the engine.
#[test]
fn the_dask_adapter_is_small() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/cluster/sonobrush_dask.py");
    let n_lines = std::fs::read_to_string(path).unwrap().lines().count();
    assert!((50..150).contains(&n_lines), "{n_lines} lines");
}

/// The blocks of `docs/cluster.md`, with small numbers and a folder of our own: `sbatch`, `parallel` and `ray` are
/// stand-ins that run one task after the other, and the machine that `ssh` and `rsync` reach is this one.
#[test]
#[cfg(unix)]
fn the_commands_of_the_guide_work() {
    let guide = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cluster.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let section = |name: &str| {
        let (_, text) = guide.split_once(&format!("\n## {name}\n")).unwrap();
        text.split("\n## ").next().unwrap().to_owned()
    };
    let shell = |name: &str| {
        let lines: Vec<String> =
            section(name).lines().filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect();
        lines.join("\n")
    };
    let python = section("Ray").split("```").nth(1).unwrap().strip_prefix("python").unwrap().to_owned();
    let stand_ins = r#"set -eu
        sbatch() { for k in 0 1 2 3; do SLURM_ARRAY_TASK_ID=$k; SLURM_CPUS_PER_TASK=1; eval "$4"; done; }
        parallel() {
          shift 2; command=
          while [ "$1" != ::: ]; do command="$command $1"; shift; done
          shift
          for k in "$@"; do eval "$(echo "$command" | sed "s/{}/$k/")"; done
        }
        ssh() { shift; "$@"; }
        rsync() {
          from=${2#b:}; to=${3#b:}; mkdir -p "$to"
          if [ -d "$from" ]; then cp -a "$from." "$to"; else cp -a "$from" "$to"; fi
        }
        "#;
    let ray = "class Task:\n    def __init__(self, function):\n        self.remote = function\n\
               def remote(**options):\n    return Task\ndef init(address):\n    pass\ndef get(found):\n    pass\n";
    let sections =
        [("Two machines", 2), ("Two machines without a shared disk", 2), ("Slurm", 4), ("GNU parallel", 4), ("Ray", 4)];
    for (name, n_shards) in sections {
        let place = Place::new();
        small(&place, 9);
        std::fs::rename(place.path("in"), place.path("sounds")).unwrap();
        std::fs::create_dir(place.path("bin")).unwrap();
        std::os::unix::fs::symlink(super::support::program::program(), place.path("bin/sonobrush")).unwrap();
        let data = place.folder.path().to_str().unwrap().to_owned();
        let small_numbers = |text: String| {
            let text = text.replace("/64", "/4").replace("{of}", "{4}").replace("0 63", "0 3").replace("64)", "4)");
            text.replace(", 64", ", 4").replace("/data", &data).replace("/scratch", &format!("{data}/scratch"))
        };
        let mut command = if name == "Ray" {
            place.write("ray.py", ray);
            place.done(&["features", "--list", "sounds", "-o", "m.json"]);
            let mut command = place.other("python3");
            command.args(["-c", &small_numbers(python.clone())]).env("PYTHONPATH", place.folder.path());
            command
        } else {
            let mut command = place.other("sh");
            command.args(["-c", &(stand_ins.to_owned() + &small_numbers(shell(name)))]);
            command
        };
        let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
        let Ok(output) = command.env("PATH", path).output() else {
            assert_eq!(name, "Ray", "there is always a shell");
            continue;
        };
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        place.done(&["features", "sounds", "-o", "whole"]);
        assert!(written(&place, "features") == written(&place, "whole"), "{name}");
        assert_eq!(names_in(&place, "shards").len(), n_shards, "{name}");
    }
}
