//! `-n`: names and passwords by host, in the file `~/.netrc`.

/// `NAME:PASSWORD` for a host. `user` is a name that was given without a password.
pub fn find(text: &[u8], host: &str, user: Option<&[u8]>) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(text).into_owned();
    let words = text.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(str::split_ascii_whitespace);
    let mut words = words.map(|word| word.trim_matches('"'));
    let wanted = user.map(|user| String::from_utf8_lossy(user).into_owned());
    let (mut here, mut login, mut password) = (false, None, None);
    let found = |login: &Option<String>, password: &Option<String>| match (login, password, &wanted) {
        (Some(login), password, None) => Some(format!("{login}:{}", password.as_deref().unwrap_or_default())),
        (Some(login), Some(password), Some(wanted)) if login == wanted => Some(format!("{login}:{password}")),
        (None, Some(password), Some(wanted)) => Some(format!("{wanted}:{password}")),
        _ => None,
    };
    while let Some(word) = words.next() {
        match word {
            "machine" | "default" => {
                if let Some(pair) = found(&login, &password) {
                    return Some(pair.into_bytes());
                }
                (login, password) = (None, None);
                here = word == "default" || words.next().is_some_and(|name| name.eq_ignore_ascii_case(host));
            }
            "login" => login = words.next().filter(|_| here).map(str::to_owned).or(login),
            "password" => password = words.next().filter(|_| here).map(str::to_owned).or(password),
            _ => {}
        }
    }
    found(&login, &password).map(String::into_bytes)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn machines() {
        let text = b"machine a login u password p\n# machine b login x password y\nmachine b\n  login v\n  password q\ndefault login d password e\n";
        let pair = |host: &str, user: Option<&str>| {
            find(text, host, user.map(str::as_bytes)).map(|p| String::from_utf8_lossy(&p).into_owned())
        };
        assert_eq!(pair("A", None).as_deref(), Some("u:p"));
        assert_eq!(pair("b", None).as_deref(), Some("v:q"));
        assert_eq!(pair("c", None).as_deref(), Some("d:e"));
        assert_eq!(pair("b", Some("v")).as_deref(), Some("v:q"));
        assert_eq!(find(b"machine a login u password p", "b", None), None);
    }
}
