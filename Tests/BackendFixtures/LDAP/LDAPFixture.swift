public import Gatefold
import TestSupport

/// OpenLDAP's slapd, with an entry for each reader: the state in `employeeType`, the editions in `businessCategory`,
/// and all editions in `departmentNumber`.
public struct LDAPFixture: BackendFixture {
    public static let name = "ldap"
    public static let outages = Outage.allCases

    public let slapd: Slapd
    private let proxy: FaultProxy

    public static func run(_ body: (LDAPFixture) async throws -> Void) async throws {
        let entries = StandardReaders.all.map { entry($0) }.joined()
        try await Slapd.run(entries: entries) { slapd in
            try await withFaultProxy(to: slapd.port) { proxy in
                try await body(LDAPFixture(slapd: slapd, proxy: proxy))
            }
        }
    }

    public var settings: String {
        """
        kind: ldap
        servers: ["ldap://127.0.0.1:\(proxy.port)"]
        starttls: false
        service:
          name: \(Slapd.service)
          password: {env: LDAP_SERVICE_PASSWORD}
        people:
          base: \(Slapd.people)
          only: (objectClass=inetOrgPerson)
          filter: (mail={identifier})
        key: entryUUID
        subscription:
          state: {from: employeeType}
          editions: {from: businessCategory}
          all_editions: {from: departmentNumber, when: [everything]}
        """
    }

    public var environment: [String: String] { ["LDAP_SERVICE_PASSWORD": Slapd.servicePassword] }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await replace("employeeType", state.rawValue, of: reader)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await replace("userPassword", password, of: reader)
    }

    private func replace(_ attribute: String, _ value: String, of reader: StandardReader) async throws {
        try await slapd.modify(
            "dn: \(Slapd.name(of: Self.uid(reader)))\nchangetype: modify\nreplace: \(attribute)\n"
                + Slapd.line(attribute, value))
    }

    public func fail(_ outage: Outage) async throws {
        switch outage {
        case .stopped:
            try await proxy.set(.reject)
            await slapd.server.stop()
        case .paused: await slapd.server.pause()
        case .error:
            try await restrict("add: olcRestrict\nolcRestrict: search\nolcRestrict: bind\nolcRestrict: compare\n")
        case .garbage: try await proxy.set(.garbage)
        case .reset: try await proxy.set(.reset)
        case .slow: try await proxy.set(.slow(Outage.delay))
        }
    }

    public func recover() async throws {
        await slapd.server.resume()
        try await slapd.server.start()
        try await proxy.set(.none)
        // The database may not be restricted.
        try? await restrict("delete: olcRestrict\n")
    }

    private func restrict(_ change: String) async throws {
        try await slapd.configure("dn: olcDatabase={1}mdb,cn=config\nchangetype: modify\n" + change)
    }

    private static func uid(_ reader: StandardReader) -> String { String(reader.email.prefix { $0 != "@" }) }

    private static func entry(_ reader: StandardReader) -> String {
        var more = [(attribute: "employeeType", value: reader.state.rawValue)]
        more += (reader.editions ?? []).map { ("businessCategory", $0) }
        if reader.editions == nil { more.append(("departmentNumber", "everything")) }
        return Slapd.person(uid: uid(reader), mail: reader.email, password: reader.password, more: more)
    }
}
