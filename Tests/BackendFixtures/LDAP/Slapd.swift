public import Foundation
public import TestSupport

/// OpenLDAP's server with its own small directory, in a temporary folder on free ports.
///
/// Anonymous and unauthenticated binds are allowed, because an empty password must not become one (Pitfall 14).
public struct Slapd: Sendable {
    public static let suffix = "dc=example,dc=com"
    public static let people = "ou=people,dc=example,dc=com"
    public static let service = "cn=gatefold,ou=services,dc=example,dc=com"
    public static let servicePassword = "service pass, with: everything"
    public static let administrator = "cn=admin,dc=example,dc=com"
    public static let administratorPassword = "administrator-of-a-test"

    public let folder: URL
    public let port: Int
    /// The port with TLS from the start, or nil without certificates.
    public let securePort: Int?
    public let server: RestartableServer

    /// The URL of the Unix socket.
    public var socketURL: String { "ldapi://" + folder.path.replacing("/", with: "%2F") + "%2Fsocket" }

    /// The files for TLS in PEM format.
    public struct Certificates: Sendable {
        public let authority: String
        public let certificate: String
        public let key: String
        /// A Boolean value that indicates whether a client must have a certificate of that authority.
        public let demandsClient: Bool

        public init(authority: String, certificate: String, key: String, demandsClient: Bool = false) {
            self.authority = authority
            self.certificate = certificate
            self.key = key
            self.demandsClient = demandsClient
        }
    }

    /// Starts a server, runs the body, and stops the server in any case.
    ///
    /// - Parameters:
    ///   - entries: LDIF of entries below ``suffix``, in addition to those of the service and of the units people and
    ///     groups.
    ///   - more: further lines of the database's configuration.
    public static func run(
        entries: String, certificates: Certificates? = nil, more: String = "",
        _ body: (Slapd) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let securePort = certificates == nil ? nil : try FreePort.find()
            try FileManager.default.createDirectory(
                at: folder.appending(path: "data"), withIntermediateDirectories: false)
            let configuration = folder.appending(path: "slapd.conf").path
            try Data(text(folder, certificates, more).utf8).write(to: URL(fileURLWithPath: configuration))
            let added = try await CommandRun.of(
                "/usr/sbin/slapadd", ["-f", configuration], input: baseConfiguration + entries, in: folder)
            guard added.status == 0 else { throw Failed(command: "slapadd", errors: added.errors) }
            var urls = [
                "ldap://127.0.0.1:\(port)/", "ldapi://" + folder.path.replacing("/", with: "%2F") + "%2Fsocket",
            ]
            if let securePort { urls.append("ldaps://127.0.0.1:\(securePort)/") }
            let launch = ServerProcess.Launch(
                "/usr/sbin/slapd", ["-f", configuration, "-h", urls.joined(separator: " "), "-d", "stats"], in: folder,
                until: .port(port))
            try await withRestartableServer(launch) { server in
                try await body(Slapd(folder: folder, port: port, securePort: securePort, server: server))
            }
        }
    }

    public struct Failed: Error, CustomStringConvertible {
        let command: String
        let errors: String
        public var description: String { "\(command): \(errors)" }
    }

    /// Changes the directory by LDIF change records, as the administrator.
    public func modify(_ changes: String) async throws {
        try await modify(changes, as: Self.administrator)
    }

    /// Changes the server's own configuration until it stops.
    public func configure(_ changes: String) async throws {
        try await modify(changes, as: "cn=config")
    }

    private func modify(_ changes: String, as name: String) async throws {
        let run = try await CommandRun.of(
            "ldapmodify", ["-x", "-H", socketURL, "-D", name, "-w", Self.administratorPassword], input: changes,
            in: folder)
        guard run.status == 0 else { throw Failed(command: "ldapmodify", errors: run.errors) }
    }

    /// Returns the lines of the server's log that contain a text, in order.
    public func log(_ text: String) async -> [String] {
        await server.output.split(separator: "\n").map(String.init).filter { $0.contains(text) }
    }

    private static func text(_ folder: URL, _ certificates: Certificates?, _ more: String) -> String {
        var tls = ""
        if let certificates {
            tls = """
                TLSCACertificateFile \(certificates.authority)
                TLSCertificateFile \(certificates.certificate)
                TLSCertificateKeyFile \(certificates.key)
                TLSVerifyClient \(certificates.demandsClient ? "demand" : "never")
                """
        }
        return """
            include /etc/ldap/schema/core.schema
            include /etc/ldap/schema/cosine.schema
            include /etc/ldap/schema/inetorgperson.schema
            modulepath /usr/lib/ldap
            moduleload back_mdb
            moduleload memberof
            moduleload ppolicy
            moduleload retcode
            allow bind_anon_cred bind_anon_dn
            loglevel stats
            pidfile \(folder.path)/slapd.pid
            \(tls)

            database config
            rootpw \(administratorPassword)

            database mdb
            suffix "\(suffix)"
            rootdn "\(administrator)"
            rootpw \(administratorPassword)
            directory \(folder.path)/data
            maxsize 33554432
            dbnosync
            index objectClass,uid,mail,member,entryUUID eq
            access to attrs=userPassword by anonymous auth by * none
            access to * by * read
            \(more)

            """
    }

    private static let baseConfiguration = """
        dn: \(suffix)
        objectClass: organization
        objectClass: dcObject
        dc: example
        o: Example

        dn: \(people)
        objectClass: organizationalUnit
        ou: people

        dn: ou=groups,\(suffix)
        objectClass: organizationalUnit
        ou: groups

        dn: ou=services,\(suffix)
        objectClass: organizationalUnit
        ou: services

        dn: \(service)
        objectClass: organizationalRole
        objectClass: simpleSecurityObject
        cn: gatefold
        userPassword: \(servicePassword)


        """
}

extension Slapd {
    /// Returns a line of LDIF with its value in Base64, which allows any bytes.
    public static func line(_ attribute: String, _ value: String) -> String {
        "\(attribute):: \(Data(value.utf8).base64EncodedString())\n"
    }

    /// Returns the entry of a person; `uid` may hold any text.
    public static func person(
        uid: String, mail: String, password: String, surname: String = "Reader",
        more: [(attribute: String, value: String)] = []
    ) -> String {
        let name = "uid=" + uid.utf8.map { String(format: "\\%02x", $0) }.joined() + ",\(people)"
        var text = line("dn", name) + "objectClass: inetOrgPerson\n"
        let fixed = [("uid", uid), ("cn", "A Reader"), ("sn", surname), ("mail", mail), ("userPassword", password)]
        for (attribute, value) in fixed + more.map({ ($0.attribute, $0.value) }) { text += line(attribute, value) }
        return text + "\n"
    }

    /// Returns the name of a person's entry as the server writes it, for a `uid` of plain letters.
    public static func name(of uid: String) -> String { "uid=\(uid),\(people)" }
}
