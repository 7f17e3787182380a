use crate::options::{Long, NO, Options, REQ, only};
use crate::quote::{locale, quoted};
use crate::users::Names;
use crate::walk::{Follow, Met, Walk};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{AT_FDCWD, AT_SYMLINK_NOFOLLOW, Errno, Out, Stat, chown_at, stat, stat_at};

pub const HELP: &str = "\
Usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...
  or:  chown [OPTION]... --reference=RFILE FILE...
Give each FILE another owner, group, or both,
or those that RFILE has.

  -c, --changes          tell about the files that change
  -f, --silent, --quiet  keep quiet about most errors
  -v, --verbose          tell about every file
      --dereference      affect the referent of each symbolic link (the default)
  -h, --no-dereference   a symbolic link is itself meant, not its target
      --from=CURRENT_OWNER:CURRENT_GROUP
                         only files that belong to
                         this owner, group, or both
      --no-preserve-root  let -R work on / like on any other (so it is)
      --preserve-root    refuse -R on /
      --reference=RFILE  use RFILE's owner and group
  -R, --recursive        go down into directories
  -H                     with -R, follow links on the command line
  -L                     with -R, follow every link to a directory
  -P                     with -R, follow no links (the default)
      --help        print this help
      --version     print the version
";

const DEREFERENCE: char = only(0);
const FROM: char = only(1);
const PRESERVE: char = only(2);
const NO_PRESERVE: char = only(3);
const REFERENCE: char = only(4);

const LONG: &[Long] = &[
    ("changes", NO, 'c'),
    ("dereference", NO, DEREFERENCE),
    ("from", REQ, FROM),
    ("no-dereference", NO, 'h'),
    ("no-preserve-root", NO, NO_PRESERVE),
    ("preserve-root", NO, PRESERVE),
    ("quiet", NO, 'f'),
    ("recursive", NO, 'R'),
    ("reference", REQ, REFERENCE),
    ("silent", NO, 'f'),
    ("verbose", NO, 'v'),
];

type Ids = (Option<u32>, Option<u32>);

struct Changer {
    to: Ids,
    /// How the command line spells `to`.
    spelled: Option<String>,
    from: Ids,
    group_only: bool,
    changes: bool,
    verbose: bool,
    silent: bool,
    follow: bool,
    recursive: bool,
    failed: bool,
    users: Names,
    groups: Names,
    out: Out,
}

pub fn main(args: &Args) -> Outcome {
    run(args, false)
}

/// `chown`, or `chgrp` which only knows groups.
pub fn run(args: &Args, group_only: bool) -> Outcome {
    let mut options = Options::new(args, "cfhvHLPR", LONG);
    let mut changer = Changer {
        to: (None, None),
        spelled: None,
        from: (None, None),
        group_only,
        changes: false,
        verbose: false,
        silent: false,
        follow: true,
        recursive: false,
        failed: false,
        users: Names::users(),
        groups: Names::groups(),
        out: Out::stdout(),
    };
    let (mut reference, mut preserve) = (None, false);
    let (mut dereference, mut walk) = (None, Follow::Never);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => changer.changes = true,
            'f' => changer.silent = true,
            'v' => changer.verbose = true,
            'h' => dereference = Some(false),
            DEREFERENCE => dereference = Some(true),
            'H' => walk = Follow::Operands,
            'L' => walk = Follow::Always,
            'P' => walk = Follow::Never,
            'R' => changer.recursive = true,
            FROM if group_only => {
                let given = args.rest().iter().find(|arg| arg.starts_with(b"--f")).map_or(b"--from".as_slice(), |a| a);
                let given = String::from_utf8_lossy(given).into_owned();
                return Err(report::usage(1, format_args!("unrecognized option '{given}'")));
            }
            FROM => changer.from = changer.with_dot(opt.value())?.0,
            REFERENCE => reference = Some(opt.value()),
            other => preserve = other == PRESERVE,
        }
    }
    changer.follow = dereference.unwrap_or(true);
    if changer.recursive && walk == Follow::Never {
        if dereference == Some(true) {
            return Err(report::die(1, "-R --dereference requires either -H or -L"));
        }
        // On the way through a tree links are changed themselves, not what they lead to.
        changer.follow = false;
    }
    let mut operands = options.operands();
    let least = if reference.is_some() { 1 } else { 2 };
    if operands.len() < least {
        return Err(match operands.first() {
            None => report::usage(1, "missing operand"),
            Some(only) => report::usage(1, format_args!("missing operand after {}", locale(only))),
        });
    }
    changer.to = match reference {
        Some(file) => {
            let s = stat(file)
                .map_err(|e| report::die(1, format_args!("failed to get attributes of {}: {e}", quoted(file))))?;
            (if group_only { None } else { Some(s.uid) }, Some(s.gid))
        }
        None => {
            let spec = operands.remove(0);
            // `owner:` and `:group` are shown by what they stand for.
            if !spec.ends_with(b":") {
                let text = spec.strip_prefix(b":").unwrap_or(spec);
                let text = text.strip_prefix(b"+").filter(|_| !group_only).unwrap_or(text);
                changer.spelled = Some(String::from_utf8_lossy(text).into_owned());
            }
            if group_only {
                (None, changer.group(spec)?)
            } else {
                let (ids, spelled) = changer.with_dot(spec)?;
                changer.spelled = spelled.or(changer.spelled);
                ids
            }
        }
    };
    for operand in operands {
        if changer.recursive && preserve && operand == b"/" {
            report::error("it is dangerous to operate recursively on '/'");
            report::error("use --no-preserve-root to override this failsafe");
            changer.failed = true;
            continue;
        }
        if changer.recursive {
            changer.tree(operand, walk);
        } else {
            changer.node(operand, (AT_FDCWD, operand));
        }
    }
    let status = u8::from(changer.failed);
    report::finish(&mut changer.out, status)
}

impl Changer {
    fn group(&mut self, name: &[u8]) -> Result<Option<u32>, Exit> {
        if name.is_empty() {
            return Ok(None);
        }
        let found = self.groups.id(name);
        found.map(Some).ok_or_else(|| report::die(1, format_args!("invalid group: {}", locale(name))))
    }

    /// The ids of a spec, in which a dot may stand for the colon; and how it is spelled then.
    fn with_dot(&mut self, spec: &[u8]) -> Result<(Ids, Option<String>), Exit> {
        let dot = spec.iter().position(|&b| b == b'.').filter(|_| !spec.contains(&b':'));
        if let Some(dot) = dot.filter(|_| self.users.id(spec).is_none()) {
            let other = [&spec[..dot], b":", &spec[dot + 1..]].concat();
            if self.known(&other) {
                report::error(format_args!("warning: '.' should be ':': {}", locale(spec)));
                return Ok((self.ids(&other)?, Some(String::from_utf8_lossy(&other).into_owned())));
            }
        }
        Ok((self.ids(spec)?, None))
    }

    /// Whether `owner:group` names two that are there.
    fn known(&mut self, spec: &[u8]) -> bool {
        let mut parts = spec.splitn(2, |&b| b == b':');
        let (owner, group) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let known_user = owner.is_empty() || self.users.id(owner).is_some();
        known_user && (group.is_empty() || self.groups.id(group).is_some())
    }

    /// `owner`, `owner:group`, `owner:` (its own group), `:group`.
    fn ids(&mut self, spec: &[u8]) -> Result<Ids, Exit> {
        let colon = spec.iter().position(|&b| b == b':');
        let (owner, group) = match colon {
            Some(at) => (&spec[..at], Some(&spec[at + 1..])),
            None => (spec, None),
        };
        let uid = match owner {
            b"" => None,
            name => {
                let found = self.users.id(name);
                // A user whose own group is wanted is to be there.
                let what = if group == Some(b"") { "spec" } else { "user" };
                Some(found.ok_or_else(|| report::die(1, format_args!("invalid {what}: {}", locale(spec))))?)
            }
        };
        let gid = match group {
            None => None,
            Some(b"") if uid.is_some() => {
                let own = self.users.lines().iter().find(|f| f[0] == owner).and_then(|f| f.get(3).cloned());
                let own = own.and_then(|t| std::str::from_utf8(&t).ok()?.parse().ok());
                Some(own.ok_or_else(|| report::die(1, format_args!("invalid spec: {}", locale(spec))))?)
            }
            Some(b"") => None,
            Some(name) => {
                let found = self.groups.id(name);
                Some(found.ok_or_else(|| report::die(1, format_args!("invalid group: {}", locale(spec))))?)
            }
        };
        Ok((uid, gid))
    }

    fn tree(&mut self, operand: &[u8], follow: Follow) {
        let mut walk = Walk::new(operand, follow);
        while let Some(met) = walk.step() {
            match met {
                // A directory's turn comes behind what is in it.
                Met::Enter(_) => {}
                Met::Leave(_) | Met::Node(_) | Met::Cycle(_) => self.node(walk.path(), walk.at()),
                Met::Unknown(e) => self.unknown(walk.path(), walk.path() == operand, e),
                Met::Unreadable(_, e) => {
                    self.complain(format_args!("cannot read directory {}", quoted(walk.path())), e);
                }
            }
        }
    }

    /// Of what cannot be reached. Where nothing has to be known of it, to change it is the first that fails.
    fn unknown(&mut self, path: &[u8], named: bool, e: Errno) {
        let looks = self.verbose || self.changes || self.from != (None, None);
        let what = if named || looks { "cannot access" } else { self.changing() };
        self.complain(format_args!("{what} {}", quoted(path)), e);
        self.unchanged(path);
    }

    fn changing(&self) -> &'static str {
        if self.to.0.is_none() { "changing group of" } else { "changing ownership of" }
    }

    fn unchanged(&mut self, path: &[u8]) {
        if self.verbose {
            let (what, new) = (self.what(), self.shown(self.to));
            let new = self.spelled.clone().unwrap_or(new);
            self.out.write(format!("failed to change {what} of {} to {new}\n", quoted(path)).as_bytes());
        }
    }

    fn complain(&mut self, what: impl std::fmt::Display, e: Errno) {
        self.failed = true;
        if !self.silent {
            report::fault(what, e);
        }
    }

    /// Changes one file: `at` is the way to it, `path` how it is shown.
    fn node(&mut self, path: &[u8], at: (i32, &[u8])) {
        let flags = if self.follow { 0 } else { AT_SYMLINK_NOFOLLOW };
        let s = match stat_at(at.0, at.1, flags) {
            Ok(s) => s,
            Err(e) => {
                let link = self.follow && stat_at(at.0, at.1, AT_SYMLINK_NOFOLLOW).is_ok();
                let what = if link { "cannot dereference" } else { "cannot access" };
                self.complain(format_args!("{what} {}", quoted(path)), e);
                return self.unchanged(path);
            }
        };
        let matches = |wanted: Option<u32>, is: u32| wanted.is_none_or(|w| w == is);
        if matches(self.from.0, s.uid) && matches(self.from.1, s.gid) {
            let result = chown_at(at.0, at.1, self.to.0, self.to.1, flags);
            self.tell(path, &s, result.is_ok());
            if let Err(e) = result {
                self.complain(format_args!("{} {}", self.changing(), quoted(path)), e);
            }
        } else if self.verbose {
            self.retained(path, &s);
        }
    }

    /// Of a file that `--from` leaves alone.
    fn retained(&mut self, path: &[u8], s: &Stat) {
        let user = self.to.0.map(|_| self.users.name(s.uid).unwrap_or_else(|| s.uid.to_string()));
        let group = self.to.1.map(|_| self.groups.name(s.gid).unwrap_or_else(|| s.gid.to_string()));
        let as_what = [user, group].into_iter().flatten().collect::<Vec<_>>().join(":");
        self.out.write(format!("ownership of {} retained as {as_what}\n", quoted(path)).as_bytes());
    }

    fn tell(&mut self, path: &[u8], s: &Stat, done: bool) {
        let changed = self.to.0.is_some_and(|uid| uid != s.uid) || self.to.1.is_some_and(|gid| gid != s.gid);
        if !(self.verbose || (self.changes && changed && done)) {
            return;
        }
        let (old, new) = (self.shown((self.to.0.map(|_| s.uid), self.to.1.map(|_| s.gid))), self.shown(self.to));
        let new = self.spelled.clone().unwrap_or(new);
        let what = self.what();
        let text = match (done, changed) {
            (false, _) => format!("failed to change {what} of {} from {} to {}\n", quoted(path), old, new),
            (true, true) => format!("changed {what} of {} from {} to {}\n", quoted(path), old, new),
            (true, false) if self.to == (None, None) => format!("ownership of {} retained\n", quoted(path)),
            (true, false) => format!("{what} of {} retained as {}\n", quoted(path), old),
        };
        self.out.write(text.as_bytes());
    }

    /// What is changed.
    fn what(&self) -> &'static str {
        if self.group_only || self.to.0.is_none() { "group" } else { "ownership" }
    }

    /// Owner and group by name.
    fn shown(&mut self, ids: Ids) -> String {
        let user = ids.0.map(|id| self.users.name(id).unwrap_or_else(|| id.to_string()));
        let group = ids.1.map(|id| self.groups.name(id).unwrap_or_else(|| id.to_string()));
        match (user, group) {
            (_, Some(group)) if self.group_only => group,
            (Some(user), Some(group)) => format!("{user}:{group}"),
            (Some(user), None) => user,
            (None, Some(group)) => group,
            (None, None) => String::new(),
        }
    }
}
