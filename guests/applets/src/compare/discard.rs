//! Lines without a partner cannot be in any match, and lines with very many partners mislead the search when they stand
//! among such lines: both are set aside before it, as GNU does, so that the same matches are found.

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Keep,
    Discard,
    /// Too common: discarded only where its neighbours are.
    Doubtful,
}

/// Which lines take part in the search.
pub fn kept(lines: &[u32], counts_elsewhere: &[u32]) -> Vec<bool> {
    let mut many = 5;
    let mut size = lines.len() / 64;
    loop {
        size >>= 2;
        if size == 0 {
            break;
        }
        many *= 2;
    }
    let mut fates: Vec<Fate> = lines
        .iter()
        .map(|&line| match counts_elsewhere[line as usize] {
            0 => Fate::Discard,
            n if n > many => Fate::Doubtful,
            _ => Fate::Keep,
        })
        .collect();
    let mut at = 0;
    while at < fates.len() {
        match fates[at] {
            Fate::Keep => at += 1,
            // Doubtful ones count only behind a sure one.
            Fate::Doubtful => {
                fates[at] = Fate::Keep;
                at += 1;
            }
            Fate::Discard => at = settle(&mut fates, at),
        }
    }
    fates.iter().map(|&fate| fate == Fate::Keep).collect()
}

/// Decides the doubtful lines of the run that begins at `start`; where it ends.
fn settle(fates: &mut [Fate], start: usize) -> usize {
    let mut end = start;
    while end < fates.len() && fates[end] != Fate::Keep {
        end += 1;
    }
    let run_end = end;
    while end > start && fates[end - 1] == Fate::Doubtful {
        end -= 1;
        fates[end] = Fate::Keep;
    }
    let run = &mut fates[start..end];
    let length = run.len();
    let doubtful = run.iter().filter(|&&f| f == Fate::Doubtful).count();
    if doubtful * 4 > length {
        keep_doubtful(run);
        return run_end;
    }
    // A long row of doubtful lines within the run is kept.
    let mut least = 1;
    let mut size = length >> 2;
    loop {
        size >>= 2;
        if size == 0 {
            break;
        }
        least <<= 1;
    }
    least += 1;
    let mut row = 0;
    for at in 0..length {
        if run[at] != Fate::Doubtful {
            row = 0;
            continue;
        }
        row += 1;
        if row == least {
            keep_doubtful(&mut run[at + 1 - row..=at]);
        } else if row > least {
            run[at] = Fate::Keep;
        }
    }
    // So are those near either end, up to three sure lines in a row or a sure line eight lines in.
    keep_near_edge(run.iter_mut());
    keep_near_edge(run.iter_mut().rev());
    run_end
}

fn keep_doubtful(run: &mut [Fate]) {
    for fate in run.iter_mut().filter(|f| **f == Fate::Doubtful) {
        *fate = Fate::Keep;
    }
}

fn keep_near_edge<'a>(run: impl Iterator<Item = &'a mut Fate>) {
    let mut sure = 0;
    for (at, fate) in run.enumerate() {
        if at >= 8 && *fate == Fate::Discard {
            return;
        }
        match *fate {
            Fate::Doubtful => {
                sure = 0;
                *fate = Fate::Keep;
            }
            Fate::Keep => sure = 0,
            Fate::Discard => sure += 1,
        }
        if sure == 3 {
            return;
        }
    }
}
