//! The scale by which sounds are compared: the program's own below 64 sounds, then the library's, recomputed whenever
//! the number of sounds has doubled.

use super::library_store::place_of;
use super::support::program::Place;
use super::support::random::Random;
use sonobrush::library::similar::{SimilarDials, SimilarTo, SoundVector, VectorScale, VectorTable};
use sonobrush::library::store::{LibraryLock, LibraryStore};

/// A library that grows by sounds of which only vectors are known.
struct Growing {
    place: Place,
    vectors: Vec<SoundVector>,
    random: Random,
}

impl Growing {
    fn new() -> Growing {
        let growing = Growing { place: Place::new(), vectors: Vec::new(), random: Random::new(64) };
        growing.refresh();
        growing.connection().execute("INSERT INTO folder(id, path, watched) VALUES (1, x'2f', 0)", []).unwrap();
        growing
    }

    fn connection(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(place_of(&self.place).database()).unwrap()
    }

    /// Grows to `n` sounds; the more there are, the more they differ.
    fn grow_to(&mut self, n: usize) {
        let connection = self.connection();
        for id in self.vectors.len() + 1..=n {
            let width = id as f64;
            let vector: SoundVector = std::array::from_fn(|_| self.random.between(0.5 * width, width) as f32);
            let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
            let id = id as i64;
            let insert = |text: &str| connection.execute(text, [id]).unwrap();
            insert("INSERT INTO sound(id, file_hash, kind, first_seen_ns) VALUES (?1, randomblob(32), 'sound', 1)");
            insert(
                "INSERT INTO file(folder, path, name, bytes, modified_ns, sound)
                 VALUES (1, CAST(?1 AS BLOB), 'hit', 1, 1, ?1)",
            );
            let described = "INSERT INTO descriptor(sound, version, silent, vector) VALUES (?1, 1, 0, ?2)";
            connection.execute(described, rusqlite::params![id, bytes]).unwrap();
            self.vectors.push(vector);
        }
    }

    /// As each run does at its end.
    fn refresh(&self) {
        let place = place_of(&self.place);
        let lock = LibraryLock::try_take(&place).unwrap().unwrap();
        LibraryStore::open_to_write(&place, &lock, &mut Vec::new()).unwrap().refresh_scale().unwrap();
    }

    /// The number of sounds behind each stored scale.
    fn stored(&self) -> Vec<i64> {
        let connection = self.connection();
        let mut select = connection.prepare("SELECT n_sounds FROM scale ORDER BY version").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// Asserts that sounds are compared by a scale: distances in deviations as defined, nearest first.
    fn assert_in_force(&self, scale: &VectorScale) {
        let mut table = VectorTable::default();
        self.vectors.iter().zip(1i64..).for_each(|(vector, id)| table.push(id, vector, None, scale));
        let query = SimilarTo { vector: self.vectors[20], f0_hz: None };
        let dials = SimilarDials::default();
        let expected: Vec<(i64, f64)> = table
            .nearest(&query, scale, &dials, 9)
            .into_iter()
            .map(|(id, distance)| (id, f64::from(distance)))
            .collect();
        let store = LibraryStore::open_to_read(&place_of(&self.place)).unwrap();
        let found = store.similar(&query, None, &dials, None, 9).unwrap();
        let found: Vec<(i64, f64)> = found.iter().map(|similar| (similar.sound.id, similar.distance)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_scale_is_made_again_when_the_library_has_doubled() {
    let mut growing = Growing::new();
    growing.grow_to(63);
    growing.refresh();
    assert_eq!(growing.stored(), [0i64; 0]);
    growing.assert_in_force(&VectorScale::shipped());
    growing.grow_to(64);
    growing.refresh();
    assert_eq!(growing.stored(), [64]);
    let first = VectorScale::of(&growing.vectors).unwrap();
    growing.assert_in_force(&first);
    // One less than twice as many: the scale stays, so that scores do.
    growing.grow_to(127);
    growing.refresh();
    assert_eq!(growing.stored(), [64]);
    growing.assert_in_force(&first);
    growing.grow_to(128);
    growing.refresh();
    growing.refresh();
    assert_eq!(growing.stored(), [64, 128]);
    let second = VectorScale::of(&growing.vectors).unwrap();
    assert_ne!(first, second);
    growing.assert_in_force(&second);
    // From where it was made, not from where it began.
    growing.grow_to(255);
    growing.refresh();
    assert_eq!(growing.stored(), [64, 128]);
    growing.grow_to(256);
    growing.refresh();
    assert_eq!(growing.stored(), [64, 128, 256]);
    growing.assert_in_force(&VectorScale::of(&growing.vectors).unwrap());
}
