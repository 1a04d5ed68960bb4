import BackendFixtures
import Gatefold
import LDAP
import TestSupport
import Testing

@testable import Backends

@Suite("Directory rejections and outages", .serialized) struct DirectoryVerdictTests {
    @Test("Pitfall 9: of all codes, six of a reader's bind and three of a compare are rejections")
    func everyCode() {
        let codes = (0...256).map { ResultCode(rawValue: $0) } + [ResultCode(rawValue: -1), ResultCode(rawValue: 4096)]
        let rejections = codes.filter { DirectoryVerdict.forBind($0) == .rejected }.map(\.rawValue)
        #expect(rejections == [19, 32, 34, 48, 49, 53])
        #expect(codes.filter { DirectoryVerdict.forBind($0) == .confirmed } == [.success])
        #expect(codes.filter { DirectoryVerdict.forCompare($0) == .rejected }.map(\.rawValue) == [5, 16, 21])
        #expect(codes.filter { DirectoryVerdict.forCompare($0) == .confirmed } == [.compareTrue])
    }

    /// slapd's overlay returns the code that the entry of a made-up subtree represents.
    private static let retcode = """
        overlay retcode
        retcode-parent "ou=codes,\(Slapd.suffix)"
        retcode-item "cn=c1" 0x01
        retcode-item "cn=c3" 0x03
        retcode-item "cn=c8" 0x08
        retcode-item "cn=c11" 0x0b
        retcode-item "cn=c13" 0x0d
        retcode-item "cn=c19" 0x13
        retcode-item "cn=c32" 0x20
        retcode-item "cn=c48" 0x30
        retcode-item "cn=c49" 0x31
        retcode-item "cn=c51" 0x33
        retcode-item "cn=c52" 0x34
        retcode-item "cn=c53" 0x35
        retcode-item "cn=c80" 0x50
        """

    @Test("Pitfall 9: a server error on a reader's bind in slapd is thrown, and a reader's error is a rejection")
    func binds() async throws {
        try await Slapd.run(entries: "", more: Self.retcode) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach + "people: {base: \"\(Slapd.people)\"}\n"
                    + "authenticate: {by: bind, name: \"cn={identifier},ou=codes,\(Slapd.suffix)\"}\n")
            for code in [19, 32, 48, 49, 53] {
                #expect(try await directory.authenticate("c\(code)", "x") == DirectoryHarness.rejected, "\(code)")
            }
            for code: Int32 in [1, 3, 8, 11, 13, 51, 80] {
                await #expect(throws: DirectoryFailure.readerBind(ResultCode(rawValue: code)), "\(code)") {
                    try await directory.authenticate("c\(code)", "x")
                }
            }
            await #expect(throws: LDAPError.rejected(.bind, .unavailable)) {
                try await directory.authenticate("c52", "x")
            }
        }
    }

    @Test("Pitfall 9: a rejected bind at a server without the readers' tree is an outage")
    func withoutTree() async throws {
        try await Slapd.run(entries: "", more: Self.retcode) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach + "people: {base: \"ou=gone,\(Slapd.suffix)\"}\n"
                    + "authenticate: {by: bind, name: \"cn={identifier},ou=codes,\(Slapd.suffix)\"}\n")
            for code in [32, 49] {
                await #expect(throws: DirectoryFailure.baseMissing, "\(code)") {
                    try await directory.authenticate("c\(code)", "x")
                }
            }
            // slapd returns 49 for every name outside its trees.
            let replica = try DirectoryHarness(
                slapd.reach + "people: {base: \"ou=people,dc=elsewhere\"}\n"
                    + "authenticate: {by: bind, name: \"uid={identifier},ou=people,dc=elsewhere\"}\n")
            await #expect(throws: DirectoryFailure.baseMissing) { try await replica.authenticate("ada", "x") }
        }
    }

    @Test(
        "Pitfall 9: every error code of a search is thrown", arguments: [1, 3, 11, 49, 51, 52, 53, 80] as [Int32])
    func searches(code: Int32) async throws {
        try await Slapd.run(entries: "", more: Self.retcode) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach
                    + "people: {base: \"cn=c\(code),ou=codes,\(Slapd.suffix)\", filter: \"(mail={identifier})\"}\n")
            let error = LDAPError.rejected(.search, ResultCode(rawValue: code))
            await #expect(throws: error) { try await directory.authenticate("ada@example.com", "x") }
            let subscriber = Subscriber(backend: "directory", key: "cn=c\(code),ou=codes,\(Slapd.suffix)")
            await #expect(throws: error) { try await directory.subscription(subscriber) }
        }
    }

    @Test("A locked account is rejected like a wrong password")
    func locked() async throws {
        let policy = """
            dn: cn=policy,\(Slapd.suffix)
            objectClass: organizationalRole
            objectClass: pwdPolicy
            cn: policy
            pwdAttribute: userPassword
            pwdLockout: TRUE
            pwdMaxFailure: 2


            """
        let ada = Slapd.person(uid: "ada", mail: "ada@example.com", password: "right")
        try await Slapd.run(
            entries: policy + ada, more: "overlay ppolicy\nppolicy_default \"cn=policy,\(Slapd.suffix)\"\n"
        ) { slapd in
            let directory = try DirectoryHarness(slapd.reach + Slapd.byMail)
            _ = try await directory.subscriber("ada@example.com", "right")
            for _ in 1...3 {
                #expect(try await directory.authenticate("ada@example.com", "wrong") == DirectoryHarness.rejected)
            }
            #expect(try await directory.authenticate("ada@example.com", "right") == DirectoryHarness.rejected)
        }
    }
}
