//! State of the library panel: a list in one of three modes, the current sound, and the folders being added.

use super::add_folders::{AddedFolders, FolderImporter, LibraryUpdate};
use super::chips::LibraryQuery;
use super::donors::Donors;
use super::duplicates::{DuplicateFinder, NullPair};
use super::entries::{EntryNote, LibraryMode, LibraryRow, ListEntry};
use super::folders::{FolderList, LibraryFolders};
use super::listing::{ListAge, Listing};
use super::similar_list::SimilarList;
use super::sound_loader::SoundLoader;
use super::thumbnails::Thumbnails;
use crate::base::Error;
use crate::bench::acts::LibrarySoundAct;
use crate::bench::context::{Concern, Context};
use crate::bench::work::JobStatus;
use crate::dsp::comparison::hashes::GreyPicture;
use crate::library::similar::SimilarDials;
use crate::library::store::LibraryPlace;
use std::ops::Range;
use std::sync::Arc;

/// State and jobs of the library panel.
pub struct Browser {
    pub(super) place: LibraryPlace,
    mode: LibraryMode,
    query: LibraryQuery,
    /// The current sound: its index in the list, and its id.
    chosen: Option<(usize, i64)>,
    is_matched: bool,
    /// Whether the list was shown in the previous frame.
    was_shown: bool,
    trouble: Option<String>,
    pub(super) adding: FolderImporter,
    pub(super) folders: LibraryFolders,
    listing: Listing,
    looks: Thumbnails,
    pub(super) taking: SoundLoader,
    pub(super) alike: SimilarList,
    copies: DuplicateFinder,
    pub(super) donors: Donors,
}

/// State read by the panel.
impl Browser {
    /// The kind of list.
    pub fn mode(&self) -> LibraryMode {
        self.mode
    }

    /// The current query.
    pub fn query(&self) -> &LibraryQuery {
        &self.query
    }

    /// All rows of the list, including those whose data is not read yet.
    pub fn entries(&self) -> &[ListEntry] {
        self.listing.entries()
    }

    /// Counts changes of the list.
    pub fn list_age(&self) -> ListAge {
        self.listing.age()
    }

    /// The index of a sound in the list; `before` is its last known index.
    pub fn position_of(&self, id: i64, before: usize) -> Option<usize> {
        self.listing.position_of(id, before)
    }

    /// Displayed data of a sound, once read. Only rows in or near the view are read.
    pub fn row(&self, id: i64) -> Option<&Arc<LibraryRow>> {
        self.listing.row(id)
    }

    /// Thumbnail spectrogram of a sound in view, once computed: 64 mel bands, at most 256 columns.
    pub fn picture(&self, id: i64) -> Option<&Arc<GreyPicture>> {
        self.looks.get(id)
    }

    /// The current sound: its index in the list, and its id.
    pub fn chosen(&self) -> Option<(usize, i64)> {
        self.chosen
    }

    /// Whether sounds are played at equal loudness.
    pub fn is_matched(&self) -> bool {
        self.is_matched
    }

    /// Whether there is no library yet.
    pub fn is_absent(&self) -> bool {
        self.listing.is_absent()
    }

    /// Whether a search or comparison is running.
    pub fn is_searching(&self) -> bool {
        let is_comparing = self.mode == LibraryMode::Similar && self.alike.is_busy();
        self.listing.is_searching() || is_comparing || self.copies.is_busy()
    }

    /// Whether the list contains only its first sounds so far, while the others are still being read.
    pub fn is_partial(&self) -> bool {
        self.listing.is_partial()
    }

    /// Why the list is empty, as a sentence without a full stop.
    pub fn trouble(&self) -> Option<&str> {
        let alike = self.alike.trouble().filter(|_| self.mode == LibraryMode::Similar);
        alike.or(self.trouble.as_deref())
    }

    /// Progress of adding folders.
    pub fn added(&self) -> &AddedFolders {
        self.adding.state()
    }

    /// The folders of the library, while the panel shows them.
    pub fn folders(&self) -> Option<&FolderList> {
        self.folders.shown()
    }

    /// Weights of the parts of the similarity measure.
    pub fn dials(&self) -> SimilarDials {
        self.alike.dials()
    }

    /// Id of the library sound that others are compared with; `None`: the selection.
    pub fn compared(&self) -> Option<i64> {
        self.alike.sound()
    }

    /// Whether the list shows sounds for filling the selection or the area of the last stroke.
    pub fn is_filling(&self) -> bool {
        self.mode == LibraryMode::Similar && self.alike.is_around()
    }

    /// Whether the list shows sounds for the clone brush, fitted to the last stroke.
    pub fn is_cloning(&self) -> bool {
        self.is_filling() && self.alike.is_around_stroke()
    }

    /// The last null test.
    pub fn null_pair(&self) -> Option<&NullPair> {
        self.copies.pair()
    }
}

/// Changes of the state; `acting` calls them.
impl Browser {
    /// A panel for the library at `place`, which is opened on first use.
    pub fn new(place: LibraryPlace) -> Browser {
        Browser {
            place,
            mode: LibraryMode::All,
            query: LibraryQuery::default(),
            chosen: None,
            is_matched: true,
            was_shown: false,
            trouble: None,
            adding: FolderImporter::default(),
            folders: LibraryFolders::default(),
            listing: Listing::default(),
            looks: Thumbnails::default(),
            taking: SoundLoader::default(),
            alike: SimilarList::default(),
            copies: DuplicateFinder::default(),
            donors: Donors::default(),
        }
    }

    /// Switches to another library, keeping the range of rows in view.
    pub(super) fn use_place(&mut self, place: LibraryPlace) {
        let in_view = self.listing.in_view();
        *self = Browser::new(place);
        self.see(in_view);
    }

    /// Call once a frame: suspends adding folders while painting, and for a while after playback underruns.
    pub fn make_room(&mut self, is_painting: bool, n_underruns: u64, now_secs: f64) {
        self.adding.make_room(is_painting, n_underruns, now_secs);
    }

    /// Switches the kind of list.
    pub(super) fn set_mode(&mut self, mode: LibraryMode, context: &Context) {
        self.mode = mode;
        self.trouble = None;
        self.copies.stop();
        self.list(Vec::new(), true);
        match mode {
            LibraryMode::All => self.search(context),
            LibraryMode::Similar => self.alike.note_change(true),
            LibraryMode::Duplicates => self.copies.find(&self.place, &context.jobs),
        }
    }

    /// Sets the query and searches again; duplicates are listed without regard to it.
    pub(super) fn set_query(&mut self, query: LibraryQuery, context: &Context) {
        let query = query.within_limits();
        if query == self.query {
            return;
        }
        self.query = query;
        match self.mode {
            LibraryMode::All => self.search(context),
            LibraryMode::Similar => self.alike.note_change(true),
            // The query does not apply to duplicates.
            LibraryMode::Duplicates => {}
        }
    }

    fn search(&mut self, context: &Context) {
        self.listing.search(&self.query, &self.place, &context.jobs, context.now_secs());
    }

    fn list(&mut self, entries: Vec<ListEntry>, is_new: bool) {
        self.listing.set(entries, is_new);
        self.find_chosen();
    }

    /// Updates the index of the current sound, which may have moved or left the list.
    fn find_chosen(&mut self) {
        let Some((before, id)) = self.chosen else { return };
        match self.listing.position_of(id, before) {
            Some(at) => self.chosen = Some((at, id)),
            // It may be among the sounds still being read.
            None if self.listing.is_partial() => {}
            None => self.chosen = None,
        }
    }

    /// Makes a row's sound current; returns its id.
    pub(super) fn choose(&mut self, at: usize) -> Option<i64> {
        let entry = self.listing.entries().get(at)?;
        self.chosen = Some((at, entry.id));
        Some(entry.id)
    }

    /// Sets whether sounds are played at equal loudness.
    pub(super) fn set_matched(&mut self, is_matched: bool) {
        self.is_matched = is_matched;
    }

    /// Sets the rows in view.
    pub(super) fn see(&mut self, rows: Range<usize>) {
        self.listing.see(rows);
    }

    /// Starts a null test of two sounds, at the offset known from the list of duplicates.
    pub(super) fn test_null(&mut self, ids: [i64; 2], context: &Context) {
        let offset_of = |entry: &ListEntry| match entry.note {
            EntryNote::Copy { keep, offset_secs, .. } if entry.id == ids[1] && keep == ids[0] => Some(offset_secs),
            _ => None,
        };
        let offset_secs = self.listing.entries().iter().find_map(offset_of).unwrap_or_default();
        self.copies.test(ids, f64::from(offset_secs), &self.place, &context.jobs);
    }

    fn follow_folders(&mut self, context: &mut Context) {
        match self.folders.advance(&self.place, context) {
            Ok(news) => {
                if !news.due.is_empty() {
                    self.adding.scan(news.due);
                }
                if news.has_queue {
                    self.adding.work_on_queue();
                }
                if news.has_fewer {
                    self.set_mode(self.mode, context);
                }
            }
            Err(error) => context.fail("read the folders of the library", &error),
        }
    }

    fn follow_adding(&mut self, context: &mut Context) {
        let news = self.adding.advance(&self.place, context);
        if news == Some(LibraryUpdate::Ended) {
            self.folders.note_change();
            self.folders.mark(self.adding.take_young());
        }
        match (news, self.mode) {
            (None, _) => {}
            (Some(_), LibraryMode::All) => self.listing.note_change(context.now_secs()),
            (Some(LibraryUpdate::More), LibraryMode::Similar | LibraryMode::Duplicates) => {}
            (Some(LibraryUpdate::Ended), LibraryMode::Similar) => self.alike.note_change(false),
            (Some(LibraryUpdate::Ended), LibraryMode::Duplicates) => self.copies.find(&self.place, &context.jobs),
        }
        // The last sounds of a run are listed at once.
        if news == Some(LibraryUpdate::Ended) && self.mode == LibraryMode::All && self.was_shown {
            self.listing.search_again(&self.query, &self.place, &context.jobs, context.now_secs());
        }
    }

    fn follow_list(&mut self, context: &mut Context) {
        let n_listed = if self.listing.is_searching() { 0 } else { self.listing.entries().len() };
        self.alike.prepare(n_listed, &self.place, context);
        // New entries are set before the rows in view are read.
        let found = match self.mode {
            LibraryMode::All => None,
            LibraryMode::Similar => self.alike.advance(&self.query, &self.place, context).transpose(),
            LibraryMode::Duplicates => self.copies.take_found(),
        };
        let is_new = self.mode == LibraryMode::Similar && self.alike.is_new();
        match found {
            None => {}
            Some(Ok(entries)) => self.list(entries, is_new),
            Some(Err(error)) => self.fail(&error, context),
        }
        match self.listing.advance(&self.place, &context.jobs, context.now_secs()) {
            Ok(news) => {
                if news.has_found {
                    self.trouble = None;
                    context.notices.succeed("read the library");
                    self.find_chosen();
                }
                if let Some(secs) = news.wake_secs {
                    context.wake_after(secs);
                }
                if news.is_stale && self.mode == LibraryMode::All {
                    self.listing.search_for_more(&self.query, &self.place, &context.jobs, context.now_secs());
                }
            }
            Err(error) => self.fail(&error, context),
        }
    }

    fn fail(&mut self, error: &Error, context: &mut Context) {
        self.trouble = Some(error.to_string());
        context.fail("read the library", error);
    }
}

impl Concern for Browser {
    fn advance(&mut self, context: &mut Context) {
        self.follow_folders(context);
        self.follow_adding(context);
        let is_shown = context.remembered.layout.has_library();
        match (std::mem::replace(&mut self.was_shown, is_shown), is_shown) {
            // Other processes may have changed the library while it was hidden.
            (false, true) => self.set_mode(self.mode, context),
            (true, false) => self.alike.rest(),
            _ => {}
        }
        if is_shown {
            self.follow_list(context);
            self.looks.advance(self.listing.seen_rows(), &context.jobs);
        }
        if let Err(error) = self.copies.advance() {
            context.fail("compare the sounds", &error);
        }
        self.donors.advance(context);
        match self.taking.take_heard() {
            None => {}
            Some(Ok(sound)) => {
                context.notices.succeed("play the sound");
                context.order(LibrarySoundAct::Play(Box::new(sound)));
            }
            Some(Err(error)) => context.fail("play the sound", &error),
        }
        match self.taking.take_pasted() {
            None => {}
            Some((at, Ok(sound))) => {
                context.notices.succeed("paste the sound");
                context.order(LibrarySoundAct::Float(at, Box::new(sound)));
            }
            Some((_, Err(error))) => context.fail("paste the sound", &error),
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        None
    }

    fn is_busy(&self, _: &Context) -> bool {
        let is_reading = self.listing.is_busy() || self.looks.is_busy() || self.alike.is_reading();
        let is_listing = self.was_shown && (self.is_searching() || is_reading);
        is_listing || self.folders.is_busy() || self.adding.is_busy() || self.taking.is_busy() || self.donors.is_busy()
    }

    /// Always false: library work runs in the background.
    fn is_ordered(&self) -> bool {
        false
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        let was_filling = self.donors.cancel();
        self.taking.drop_paste() || was_filling
    }
}
