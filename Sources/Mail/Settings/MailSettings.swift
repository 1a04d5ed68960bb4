import Foundation
package import Settings
package import Transfers

/// The section `mail`: the sender of e-mail messages, and the mail server.
package struct MailSettings: Sendable {
    package let sender: MailSender
    package let server: MailServer
    /// The maximum number of waiting messages. Default: 1,000. Range: 1 to 100,000.
    package let queue: Int
    /// The maximum number of concurrent transfers. Default: 2. Range: 1 to 20.
    package let connections: Int
    /// The fingerprint of the settings. Equal fingerprints mean equal settings.
    package let fingerprint: [UInt8]

    private enum TLS: String, CaseIterable {
        case required, none
    }

    package init(_ section: SettingsSection) throws(SettingsError) {
        let url = try section.requiredString("server", expected: "an address such as smtp://mail.example.com:587")
        var server: MailServer
        do {
            server = try MailServer(url: url)
        } catch {
            throw section.error("server", expected: error.description)
        }
        let tls: TLS = try section.choice("tls", default: server.security == .none ? .none : .required)
        switch (tls, server.security) {
        case (.none, .implicit):
            throw section.error("tls", expected: "expected `required` with an smtps address")
        case (.none, _): server.security = .none
        case (.required, .none): server.security = .upgraded
        case (.required, _): break
        }
        server.authorities = try section.filePath("ca")
        if server.authorities != nil, server.security == .none {
            throw section.error("ca", expected: "requires TLS; expected `tls: required`, or no `ca`")
        }
        server.timeout = try section.duration("timeout", default: 60, in: 1...600)
        server.connectTimeout = min(server.connectTimeout, server.timeout)
        let user = try section.string("user")
        let password = try section.externalSecret("password")
        if let user, let password {
            server.login = MailServer.Login(user: user, password: password)
        } else if user != nil || password != nil {
            throw section.error(user == nil ? "password" : "user", expected: "expected `user` and `password` together")
        }
        if server.login != nil, server.security == .none, !server.isLocal {
            throw section.error("tls", expected: "expected `required`, because a password is sent to another machine")
        }
        self.server = server
        let from = try section.requiredString("from", expected: "a sender such as The Daily <news@daily.example>")
        guard let sender = MailSender(from) else {
            throw section.error("from", expected: "expected a sender such as The Daily <news@daily.example>")
        }
        self.sender = sender
        queue = try section.integer("max_queued", default: 1000, in: 1...100_000)
        connections = try section.integer("max_connections", default: 2, in: 1...20)
        fingerprint = section.fingerprint()
        try section.finish()
    }
}
