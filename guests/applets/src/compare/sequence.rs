//! Myers' difference algorithm in linear space: the middle of a shortest edit path is searched from both ends, then each
//! half on its own. What costs too much is cut at the best point found so far.

/// Where a path is cut, and which halves must still be searched exhaustively.
struct Cut {
    x: isize,
    y: isize,
    exact_before: bool,
    exact_after: bool,
}

/// A part of both sequences.
struct Part {
    x: (isize, isize),
    y: (isize, isize),
    exact: bool,
}

struct Search<'a> {
    a: &'a [u32],
    b: &'a [u32],
    /// The furthest x on each diagonal, from the front and from the back; shifted so that the lowest index is 0.
    forward: Vec<isize>,
    backward: Vec<isize>,
    shift: isize,
    limit: isize,
}

/// Marks what only one of the sequences has. `index_*` tell where each element is in the marks.
pub fn compare(a: &[u32], b: &[u32], exact: bool, mut delete: impl FnMut(usize), mut insert: impl FnMut(usize)) {
    let diagonals = a.len() + b.len() + 3;
    let mut limit = 1;
    let mut size = a.len() + b.len();
    while size > 0 {
        limit <<= 1;
        size >>= 2;
    }
    let mut search = Search {
        a,
        b,
        forward: vec![0; diagonals],
        backward: vec![0; diagonals],
        shift: b.len() as isize + 1,
        limit: limit.max(4096),
    };
    let mut parts = vec![Part { x: (0, a.len() as isize), y: (0, b.len() as isize), exact }];
    while let Some(Part { mut x, mut y, exact }) = parts.pop() {
        while x.0 < x.1 && y.0 < y.1 && a[x.0 as usize] == b[y.0 as usize] {
            x.0 += 1;
            y.0 += 1;
        }
        while x.0 < x.1 && y.0 < y.1 && a[x.1 as usize - 1] == b[y.1 as usize - 1] {
            x.1 -= 1;
            y.1 -= 1;
        }
        if x.0 == x.1 {
            (y.0..y.1).for_each(|i| insert(i as usize));
        } else if y.0 == y.1 {
            (x.0..x.1).for_each(|i| delete(i as usize));
        } else {
            let cut = search.cut(x, y, exact);
            parts.push(Part { x: (cut.x, x.1), y: (cut.y, y.1), exact: cut.exact_after });
            parts.push(Part { x: (x.0, cut.x), y: (y.0, cut.y), exact: cut.exact_before });
        }
    }
}

/// How many elements are common from these places on. A place beyond an end has none.
fn common((a, b): (&[u32], &[u32]), i: isize, j: isize) -> isize {
    let (mut i, mut j) = (i as usize, j as usize);
    let start = i;
    while let (Some(x), Some(y)) = (a.get(i), b.get(j))
        && x == y
    {
        i += 1;
        j += 1;
    }
    (i - start) as isize
}

/// How many elements are common before these places.
fn common_end((a, b): (&[u32], &[u32]), i: isize, j: isize) -> isize {
    // A place at the start has the largest of all numbers before it, where nothing is.
    let (mut i, mut j) = ((i as usize).wrapping_sub(1), (j as usize).wrapping_sub(1));
    let start = i;
    while let (Some(x), Some(y)) = (a.get(i), b.get(j))
        && x == y
    {
        i = i.wrapping_sub(1);
        j = j.wrapping_sub(1);
    }
    start.wrapping_sub(i) as isize
}

impl Search<'_> {
    fn cut(&mut self, x: (isize, isize), y: (isize, isize), exact: bool) -> Cut {
        let (a, b, shift) = (self.a, self.b, self.shift);
        let at = |diagonal: isize| (diagonal + shift) as usize;
        // What can be common from a place on, and up to one.
        let before = (&a[..x.1 as usize], &b[..y.1 as usize]);
        let behind = (&a[x.0 as usize..], &b[y.0 as usize..]);
        let (lowest, highest) = (x.0 - y.1, x.1 - y.0);
        let (front, back) = (x.0 - y.0, x.1 - y.1);
        let (mut front_low, mut front_high) = (front, front);
        let (mut back_low, mut back_high) = (back, back);
        // The ends of odd distances meet in the forward step.
        let odd = (front - back) & 1 != 0;
        self.forward[at(front)] = x.0;
        self.backward[at(back)] = x.1;
        let mut cost = 1;
        loop {
            // Diagonals grow by one to each side, or shrink where the border is reached.
            if front_low > lowest {
                front_low -= 1;
                self.forward[at(front_low - 1)] = -1;
            } else {
                front_low += 1;
            }
            if front_high < highest {
                front_high += 1;
                self.forward[at(front_high + 1)] = -1;
            } else {
                front_high -= 1;
            }
            let mut d = front_high;
            let mut above = self.forward[at(d + 1)];
            while d >= front_low {
                let below = self.forward[at(d - 1)];
                let start = if below < above { above } else { below + 1 };
                let i = start + common(before, start, start - d);
                let j = i - d;
                self.forward[at(d)] = i;
                above = below;
                if odd && back_low <= d && d <= back_high && self.backward[at(d)] <= i {
                    return Cut { x: i, y: j, exact_before: true, exact_after: true };
                }
                d -= 2;
            }
            if back_low > lowest {
                back_low -= 1;
                self.backward[at(back_low - 1)] = isize::MAX;
            } else {
                back_low += 1;
            }
            if back_high < highest {
                back_high += 1;
                self.backward[at(back_high + 1)] = isize::MAX;
            } else {
                back_high -= 1;
            }
            let mut d = back_high;
            let mut above = self.backward[at(d + 1)];
            while d >= back_low {
                let below = self.backward[at(d - 1)];
                let start = if below < above { below } else { above - 1 };
                let i = start - common_end(behind, start - x.0, start - d - y.0);
                let j = i - d;
                self.backward[at(d)] = i;
                above = below;
                if !odd && front_low <= d && d <= front_high && i <= self.forward[at(d)] {
                    return Cut { x: i, y: j, exact_before: true, exact_after: true };
                }
                d -= 2;
            }
            cost += 1;
            if !exact && cost >= self.limit {
                return self.best(x, y, (front_low, front_high), (back_low, back_high));
            }
        }
    }

    /// The furthest point of either search, where neither met the other in time.
    fn best(&self, x: (isize, isize), y: (isize, isize), front: (isize, isize), back: (isize, isize)) -> Cut {
        let at = |diagonal: isize| (diagonal + self.shift) as usize;
        let (mut front_sum, mut front_x) = (-1, 0);
        let mut d = front.1;
        while d >= front.0 {
            let mut i = self.forward[at(d)].min(x.1);
            let mut j = i - d;
            if y.1 < j {
                (i, j) = (y.1 + d, y.1);
            }
            if front_sum < i + j {
                (front_sum, front_x) = (i + j, i);
            }
            d -= 2;
        }
        let (mut back_sum, mut back_x) = (isize::MAX, 0);
        let mut d = back.1;
        while d >= back.0 {
            let mut i = self.backward[at(d)].max(x.0);
            let mut j = i - d;
            if j < y.0 {
                (i, j) = (y.0 + d, y.0);
            }
            if i + j < back_sum {
                (back_sum, back_x) = (i + j, i);
            }
            d -= 2;
        }
        if x.1 + y.1 - back_sum < front_sum - (x.0 + y.0) {
            Cut { x: front_x, y: front_sum - front_x, exact_before: true, exact_after: false }
        } else {
            Cut { x: back_x, y: back_sum - back_x, exact_before: false, exact_after: true }
        }
    }
}
