//! Indexed arrays: sparse by definition, dense in practice. The run from 0 is a vector; what lies beyond is a tree.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct IndexedArray {
    dense: Vec<Vec<u8>>,
    /// Every key is at least `dense.len() + 1`.
    sparse: BTreeMap<i64, Vec<u8>>,
}

impl IndexedArray {
    pub fn get(&self, index: i64) -> Option<&[u8]> {
        match self.dense.get(usize::try_from(index).ok()?) {
            Some(value) => Some(value),
            None if self.sparse.is_empty() => None,
            None => self.sparse.get(&index).map(Vec::as_slice),
        }
    }

    pub fn set(&mut self, index: i64, value: Vec<u8>) {
        let len = self.dense.len() as i64;
        if index < len {
            self.dense[index as usize] = value;
        } else if index > len {
            self.sparse.insert(index, value);
        } else {
            self.dense.push(value);
            if !self.sparse.is_empty() {
                while let Some(next) = self.sparse.remove(&(self.dense.len() as i64)) {
                    self.dense.push(next);
                }
            }
        }
    }

    pub fn remove(&mut self, index: i64) {
        let len = self.dense.len() as i64;
        if index >= len {
            self.sparse.remove(&index);
            return;
        }
        // The tail behind the hole moves to the tree.
        let tail = self.dense.split_off(index as usize);
        for (i, value) in (index..).zip(tail).skip(1) {
            self.sparse.insert(i, value);
        }
    }

    pub fn push(&mut self, value: Vec<u8>) {
        let next = self.end();
        self.set(next, value);
    }

    /// One more than the highest index.
    pub fn end(&self) -> i64 {
        match self.sparse.last_key_value() {
            Some((&last, _)) => last.saturating_add(1),
            None => self.dense.len() as i64,
        }
    }

    pub fn len(&self) -> usize {
        self.dense.len() + self.sparse.len()
    }

    pub fn is_empty(&self) -> bool {
        self.dense.is_empty() && self.sparse.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (i64, &[u8])> {
        (0..).zip(self.dense.iter().map(Vec::as_slice)).chain(self.sparse.iter().map(|(&i, v)| (i, v.as_slice())))
    }
}

impl FromIterator<Vec<u8>> for IndexedArray {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(values: I) -> IndexedArray {
        IndexedArray { dense: values.into_iter().collect(), sparse: BTreeMap::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::IndexedArray;

    #[test]
    fn holes_open_and_close() {
        let mut array: IndexedArray = (0..5).map(|i| vec![i]).collect();
        array.remove(2);
        assert_eq!((array.len(), array.end()), (4, 5));
        assert_eq!(array.get(2), None);
        assert_eq!(array.iter().map(|(i, _)| i).collect::<Vec<_>>(), [0, 1, 3, 4]);
        array.set(2, vec![9]);
        assert_eq!((array.len(), array.get(3)), (5, Some(&[3][..])));
        array.remove(4);
        array.set(100, vec![]);
        assert_eq!(array.end(), 101);
    }
}
