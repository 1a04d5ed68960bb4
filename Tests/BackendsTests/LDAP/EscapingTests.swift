import LDAP
import TestSupport
import Testing

@Suite("Escaping in filters and names") struct EscapingTests {
    private static let specialCharacters = "*()\\,+\"<>;=# \u{0}&|!{}uid"

    @Test("A value in a filter is escaped according to RFC 4515")
    func filterExamples() {
        // The examples of section 4.
        #expect(FilterValue.escape("Parens R Us (for all your parenthetical needs)").contains("\\28for all your"))
        #expect(FilterValue.escape("*") == "\\2a")
        #expect(FilterValue.escape("C:\\MyFile") == "C:\\5cMyFile")
        #expect(FilterValue.escape([0x00, 0x00, 0x00, 0x04]) == "\\00\\00\\00\\04")
        #expect(FilterValue.escape("Lučić") == "Lu\\c4\\8di\\c4\\87")
        #expect(FilterValue.unescape("Lu\\c4\\8di\\c4\\87") == Array("Lučić".utf8))
        for bad in ["\\2", "\\", "\\zz", "*", "(", ")", "a\u{0}"] {
            #expect(FilterValue.unescape(bad) == nil, "\(bad)")
        }
    }

    @Test("A value in a name is escaped according to RFC 4514")
    func nameExamples() {
        #expect(NameValue.escape("James \"Jim\" Smith, III") == "James \\22Jim\\22 Smith\\2c III")
        #expect(NameValue.escape("Before\rAfter") == "Before\\0dAfter")
        #expect(NameValue.escape(" a b ") == "\\20a b\\20")
        #expect(NameValue.escape("#a#") == "\\23a#")
        #expect(NameValue.escape("") == "")
        #expect(NameValue.unescape("James \\\"Jim\\\" Smith\\, III") == Array("James \"Jim\" Smith, III".utf8))
        for bad in ["a,b", "a+b", "\\", "a\\2", "#04024869", "\"a\"", "a;b", "\\x"] {
            #expect(NameValue.unescape(bad) == nil, "\(bad)")
        }
        #expect(NameValue.first(of: "cn=Digital \\2c Readers,ou=groups,dc=example") == "Digital , Readers")
        #expect(NameValue.first(of: "cn=a\\,b+sn=c,dc=example") == "a,b")
        #expect(NameValue.first(of: "") == nil && NameValue.first(of: "cn=\\ff") == nil)
        #expect(NameValue.first(of: "cn=a\\") == nil)
    }

    @Test("Pitfall 13: 10,000 hostile values survive the round trip and keep the shape of a filter and a name")
    func roundTrips() {
        var random = SeededRandom(seed: 4515)
        for _ in 0..<10_000 {
            let value = random.hostileBytes(upTo: 24, specialCharacters: Self.specialCharacters)
            let filter = FilterValue.escape(value)
            let name = NameValue.escape(value)
            guard FilterValue.unescape(filter) == value, NameValue.unescape(name) == value,
                filter.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }),
                name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }),
                FilterSyntax.isValid("(&(uid=\(filter))(cn=x))")
            else {
                Issue.record("\(value)")
                return
            }
        }
    }

    @Test("Distinguishes valid and invalid filters")
    func filters() {
        for good in [
            "(cn=Babs Jensen)", "(!(cn=Tim Howes))", "(&(objectClass=Person)(|(sn=Jensen)(cn=Babs J*)))",
            "(o=univ*of*mich*)",
            "(seeAlso=)", "(cn:caseExactMatch:=Fred Flintstone)", "(cn:=Betty Rubble)", "(sn:dn:2.4.6.8.10:=Barney)",
            "(:1.2.3:=Wilma)", "(uid>=a)", "(uid<=a)", "(uid~=a)", "(description;lang-en=a\\2a)", "(&)", "(|)",
        ] {
            #expect(FilterSyntax.isValid(good), "\(good)")
        }
        for bad in [
            "", "cn=a", "(cn=a", "(cn=a))", "(cn)", "()", "(=a)", "(&(cn=a)", "(!(a=b)(c=d))", "(cn=\\)", "(c n=a)",
            "(cn=(a))",
            "(cn=a)(cn=b)", "(\\2a=a)", "(!)", String(repeating: "(!", count: 10_000),
        ] {
            #expect(!FilterSyntax.isValid(bad), "\(bad.prefix(40))")
        }
    }

    @Test("10,000 random filter-like texts are checked without a crash")
    func filterFuzz() {
        var random = SeededRandom(seed: 4516)
        var valid = 0
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 20, specialCharacters: "(&|!)=*\\a2~<>:")
            if FilterSyntax.isValid(String(decoding: bytes, as: UTF8.self)) { valid += 1 }
            _ = NameValue.first(of: String(decoding: bytes, as: UTF8.self))
        }
        #expect(valid < 100_000)
    }

    @Test("A directory's URL is a scheme, a host and a port")
    func urls() {
        for (text, host, port) in [
            ("ldap://ldap.example.com", "ldap.example.com", 389),
            ("ldaps://ldap.example.com/", "ldap.example.com", 636),
            ("LDAP://127.0.0.1:3890", "127.0.0.1", 3890), ("ldap://[::1]:390", "::1", 390),
            ("ldaps://[fe80::1]", "fe80::1", 636),
            ("ldapi://%2Frun%2Fslapd%2Fldapi", "/run/slapd/ldapi", 0),
        ] as [(String, String, UInt16)] {
            let url = DirectoryURL(text)
            #expect(url?.host == host && url?.port == port, "\(text)")
            #expect(url.flatMap { DirectoryURL($0.description) } == url)
        }
        for bad in [
            "", "ldap://", "http://a", "ldap:a", "ldap://a:0", "ldap://a:65536", "ldap://a:+1", "ldap://a:b",
            "ldap://a/dc=b",
            "ldap://a b", "ldap://[::1", "ldap://[::1]x", "ldap://a@b", "ldapi://relative", "ldapi://%2", "ldapi://%00",
            "ldapi://%2F" + String(repeating: "a", count: 200), "cldap://a",
        ] {
            #expect(DirectoryURL(bad) == nil, "\(bad)")
        }
    }
}
