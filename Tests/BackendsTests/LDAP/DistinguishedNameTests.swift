import LDAP
import TestSupport
import Testing

@Suite("Distinguished names") struct DistinguishedNameTests {
    @Test("Case, insignificant blanks, escapes and the order within a part make no difference")
    func same() throws {
        let name = try #require(DistinguishedName("cn=Digital \\2c Readers+l=Bern,ou=Groups,dc=example"))
        for other in [
            "CN=digital \\, readers + L=bern, OU=groups, DC=EXAMPLE",
            "l=Bern+cn=\\44igital  \\2C Readers,ou=Groups,dc=example",
            " cn = Digital \\, Readers\\20+l=Bern ,ou=Groups\\ ,dc=example",
        ] {
            #expect(DistinguishedName(other) == name, "\(other)")
        }
        for other in [
            "cn=Digital,cn=Readers,ou=Groups,dc=example", "cn=Digital \\2c Readers,ou=Groups,dc=example",
            "cn=Digital \\2c Readers+l=Bern,ou=Groups", "cn=Digital \\2c Readers+sn=Bern,ou=Groups,dc=example",
        ] {
            #expect(DistinguishedName(other) != name, "\(other)")
        }
    }

    @Test("A name is below another only if it ends with all of its parts and has more")
    func below() throws {
        let base = try #require(DistinguishedName("ou=groups,dc=example"))
        for (name, isBelow) in [
            ("cn=a,OU=Groups, dc=example", true), ("cn=a,ou=b,ou=groups,dc=example", true),
            ("ou=groups,dc=example", false), ("dc=example", false), ("cn=a\\,ou=groups,dc=example", false),
            ("cn=a,ou=own,dc=example", false), ("cn=a,ou=groups,dc=example,dc=com", false),
            ("cn=a,xou=groups,dc=example", false), ("cn=a,cn=x+ou=groups,dc=example", false),
        ] {
            #expect(DistinguishedName(name)?.isBelow(base) == isBelow, "\(name)")
        }
    }

    @Test("Malformed names are rejected")
    func bad() {
        for text in [
            "", "readers", "cn", "cn=", "=a", "cn=a,", ",cn=a", "cn=a,,dc=b", "cn=a\\", "cn=a\\2", "cn=#0402",
            "cn=\"a\"",
            "c n?=a", "cn=a;dc=b", "cn=\\ff", "cn=a+",
        ] {
            #expect(DistinguishedName(text) == nil, "\(text)")
        }
    }

    @Test("Pitfall 13: 10,000 hostile values stay one value of one part")
    func hostile() throws {
        let base = try #require(DistinguishedName("ou=groups,dc=example"))
        var random = SeededRandom(seed: 4514)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 20, specialCharacters: "*()\\,+\"<>;=# \u{0}ou=groups,dc=example")
            // Parsing must end for any input.
            _ = DistinguishedName(String(decoding: bytes, as: UTF8.self))
            let text = NameValue.escape(bytes)
            guard let name = DistinguishedName("cn=\(text),ou=own,dc=example") else { continue }
            guard !name.isBelow(base), DistinguishedName("cn=\(text),ou=groups,dc=example")?.isBelow(base) == true
            else {
                Issue.record("\(bytes)")
                return
            }
        }
    }
}
