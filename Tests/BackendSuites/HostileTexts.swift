import BackendFixtures

/// Texts of readers who try to impersonate others (Pitfall 13).
enum HostileTexts {
    /// Texts that a request can carry to a backend: no control characters, at most 1,024 bytes.
    static let printable = [
        "' OR 1=1--", "' OR '1'='1", "\" OR \"\"=\"", "admin'/*", "'; DROP TABLE readers; --", "\\' OR 1=1 -- ",
        "$1", ":identifier", "?", "%s%n", "*", "*)(uid=*", "*)(|(mail=*))", "(cn=*)", "\\2a", "a,dc=example,dc=com",
        "]]><x>",
        "<!ENTITY x SYSTEM \"file:///etc/passwd\">", "&xxe;", "' or '1'='1' or ''='", "//user[1]", "%{var}",
        "{identifier}",
        "{key}", "${jndi:ldap://127.0.0.1/x}", "../../etc/passwd", "a&admin=1", "a=b;c=d",
        "x\",\"admin\":true,\"y\":\"",
        "\u{2019} OR 1=1", "=HYPERLINK(\"http://127.0.0.1\")", "+1+1", "@SUM(1)", "-2+3", "a:b@c", "%00",
        "%0d%0aX-A: b",
        "\u{FF07} OR 1=1", "ada@example.com' --", "ada@example.com*", "ada@example.com%", "_da@example.com",
        "ada@example.com)(mail=*", "ada@example.com\\", "ada@example.com,ou=people", "ada@example.com;",
        "ada@example.com|id",
        "$(id)", "`id`", "\u{202E}moc.elpmaxe@ada",
        String(repeating: "a", count: 1_000), String(repeating: "'", count: 900), String(repeating: "é", count: 500),
        "😀😀", "null",
        "undefined", "0", "0e1", "true", "[]", "{}", "--", "#", "\\0", "\\u0000",
    ]

    /// Texts that some databases treat as equal to `ada@example.com`, and others as unknown.
    static let lookAlikes = ["ádá@example.com", "a\u{301}da@example.com", "ＡＤＡ@example.com"]

    /// Returns the printable texts, and the look-alikes if the system treats them as unknown.
    static func printable(for fixture: any BackendFixture.Type) -> [String] {
        printable + (fixture.acceptsLookAlikes ? [] : lookAlikes)
    }

    /// Texts that the domain withholds from backends, which must be rejected there, too.
    static let unprintable = [
        "", " ", "\u{0}", "\u{0}ada@example.com", "ada@example.com\u{0}", "ada@example.com\u{0}x", "\r\n", "a\r\nDATA",
        "\t",
        "\u{7F}", "\u{1B}[2J", String(repeating: "a", count: 1_000_000),
    ]
}
