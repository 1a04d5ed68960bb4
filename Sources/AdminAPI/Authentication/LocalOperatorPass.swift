package import Foundation
package import Gatefold
import Primitives

/// The proof that a request comes from a command on the server's machine that can read the secret of the state.
///
/// A command needs no token: whoever reads the secret can also change the state. The command seals the name of its user and
/// the time with the secret. The server accepts the pass on a local connection, for one operation, and only for a minute, so
/// that a pass in a log or a trace is worthless.
package struct LocalOperatorPass: Sendable, Equatable {
    package static let prefix = "gfl_"
    /// The time in seconds for which a pass is accepted. Both clocks are that of the machine.
    package static let lifetime: TimeInterval = 60
    private static let purpose = "gatefold local operator 1"

    package let actor: AuditActor
    /// The time of its creation, in whole seconds.
    package let created: Date
    /// The method and the path of the request.
    package let target: String

    /// - Parameters:
    ///   - name: The name of the user, for the audit log.
    ///   - target: The method, a space, and the path below ``AdminAPI/root``.
    package init(_ name: String, for target: String, at timestamp: Date) {
        actor = AuditActor(.commandLineUser, name: name)
        self.target = target
        created = Date(timeIntervalSince1970: timestamp.timeIntervalSince1970.rounded(.down))
    }

    /// Returns the text of the header.
    package func sealed(with key: PseudonymKey) throws -> String {
        var writer = ByteWriter()
        writer.write(Int64(created.timeIntervalSince1970))
        writer.write(text: actor.name)
        writer.write(text: target)
        return Self.prefix + Base64URL.encode(try key.seal(writer.bytes, for: Self.purpose))
    }

    /// Opens a pass. Nil is returned unless it was sealed with the key for the request within ``lifetime``.
    package static func open(
        _ text: String, for target: String, key: PseudonymKey, at now: Date
    ) -> LocalOperatorPass? {
        guard text.hasPrefix(prefix), let bytes = Base64URL.decode(text.dropFirst(prefix.count)),
            let plain = key.open(bytes, for: purpose)
        else { return nil }
        var reader = ByteReader(plain)
        guard let seconds = reader.read(Int64.self), let name = reader.readText(), let sealedFor = reader.readText(),
            reader.isAtEnd, sealedFor.utf8.elementsEqual(target.utf8)
        else { return nil }
        let pass = LocalOperatorPass(name, for: target, at: Date(timeIntervalSince1970: TimeInterval(seconds)))
        return abs(now.timeIntervalSince(pass.created)) <= lifetime ? pass : nil
    }
}
