//! Rust text without its comments and strings, line for line, for checks that look at code only.

/// Replaces what is in comments by spaces and what is in strings by `_`.
///
/// Line breaks and whitespace in comments stay, so that a line here is the same line there. Columns are kept in
/// characters. It reads tokens, not grammar: enough for code that compiles.
pub(crate) fn code_of(text: &str) -> String {
    let mut reader = Reader { rest: text.chars().collect(), at: 0, code: String::with_capacity(text.len()) };
    while reader.at < reader.rest.len() {
        reader.token();
    }
    reader.code
}

struct Reader {
    rest: Vec<char>,
    at: usize,
    code: String,
}

impl Reader {
    fn token(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.line_comment(),
            ('/', '*') => self.block_comment(),
            ('"', _) => self.string(),
            ('\'', _) => self.quote(),
            (first, _) if is_word(first) => self.word(),
            _ => self.keep(1),
        }
    }

    /// A name, a number, or the prefix of a raw string.
    fn word(&mut self) {
        let length = self.count(is_word);
        let word: String = self.rest[self.at..self.at + length].iter().collect();
        self.keep(length);
        if !matches!(word.as_str(), "r" | "br" | "cr") {
            return;
        }
        let hashes = self.count(|c| c == '#');
        // `r#name` is a raw name, not a raw string.
        if self.peek(hashes) == '"' {
            self.raw_string(hashes);
        }
    }

    fn raw_string(&mut self, hashes: usize) {
        self.keep(hashes + 1);
        while self.at < self.rest.len() {
            let closed = self.peek(0) == '"' && (1..=hashes).all(|i| self.peek(i) == '#');
            if closed {
                self.keep(hashes + 1);
                return;
            }
            self.hide('_');
        }
    }

    fn string(&mut self) {
        self.keep(1);
        while self.at < self.rest.len() {
            match self.peek(0) {
                '"' => return self.keep(1),
                '\\' => {
                    self.hide('_');
                    self.hide('_');
                }
                _ => self.hide('_'),
            }
        }
    }

    /// A character or a lifetime.
    fn quote(&mut self) {
        let is_escape = self.peek(1) == '\\';
        let is_character = is_escape || self.peek(2) == '\'';
        self.keep(1);
        if !is_character {
            return;
        }
        self.hide('_');
        if is_escape {
            self.hide('_');
        }
        while self.at < self.rest.len() && self.peek(0) != '\'' {
            self.hide('_');
        }
        self.keep(1);
    }

    fn line_comment(&mut self) {
        while self.at < self.rest.len() && self.peek(0) != '\n' {
            self.hide(' ');
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.rest.len() {
            let step = match (self.peek(0), self.peek(1)) {
                ('/', '*') => {
                    depth += 1;
                    2
                }
                ('*', '/') => {
                    depth -= 1;
                    2
                }
                _ => 1,
            };
            (0..step).for_each(|_| self.hide(' '));
            if depth == 0 {
                return;
            }
        }
    }

    /// The character `ahead` of here; NUL, which Rust text does not contain, after the end.
    fn peek(&self, ahead: usize) -> char {
        self.rest.get(self.at + ahead).copied().unwrap_or('\0')
    }

    /// How many characters from here on are of a kind.
    fn count(&self, kind: impl Fn(char) -> bool) -> usize {
        let rest = self.rest[self.at..].iter();
        rest.take_while(|&&c| kind(c)).count()
    }

    fn keep(&mut self, count: usize) {
        let end = self.rest.len().min(self.at + count);
        self.code.extend(&self.rest[self.at..end]);
        self.at = end;
    }

    fn hide(&mut self, with: char) {
        let Some(&hidden) = self.rest.get(self.at) else {
            return;
        };
        let is_layout = hidden == '\n' || (with == ' ' && hidden.is_whitespace());
        self.code.push(if is_layout { hidden } else { with });
        self.at += 1;
    }
}

/// Whether a character can be part of a name or a number.
pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_hidden_and_code_is_kept() {
        let table = [
            ("a(); // b()", "a();       "),
            ("/* a /* b */ c */ d", "                  d"),
            (r#"f("a\"b", c)"#, r#"f("____", c)"#),
            (r##"f(r#"a"b"#, c)"##, r##"f(r#"___"#, c)"##),
            ("br\"\\\" + r#type", "br\"_\" + r#type"),
            ("'a' + '\\'' + b'\\\\'", "'_' + '__' + b'__'"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            ("'\\u{1F600}' x", "'_________' x"),
            ("for\"x\"", "for\"_\""),
            ("\"open", "\"____"),
            ("/* open", "       "),
        ];
        for (text, code) in table {
            assert_eq!(code_of(text), code, "{text}");
        }
    }

    #[test]
    fn every_line_stays_where_it_is() {
        let text = "a\n\"b\nc\"\n/* d\n\te */ f\n// g\nh";
        let code = code_of(text);
        assert_eq!(code, "a\n\"_\n_\"\n    \n\t     f\n    \nh");
        assert_eq!(code.lines().count(), text.lines().count());
    }
}
