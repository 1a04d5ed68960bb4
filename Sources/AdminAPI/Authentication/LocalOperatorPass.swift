package import Foundation
package import Gatefold
import Primitives

/// The proof that a request comes from a command on the server's machine that can read the secret of the state.
///
/// A command needs no token: whoever reads the secret can also change the state. The command seals the name of its user, the
/// request and the time with the secret. The server accepts the pass on a local connection, for this request, once, and only for
/// a minute, so that a pass in a log or a trace is worthless.
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
    /// The body of the request.
    package let body: BodyDigest
    /// Bytes that no other pass has; empty before it is sealed.
    let id: [UInt8]

    /// A keyed digest of the body of a request.
    package struct BodyDigest: Sendable, Equatable {
        fileprivate let text: String

        package init(_ body: [UInt8], key: PseudonymKey) {
            text = Hexadecimal.encode(
                key.digest("gatefold local operator body 1", [String(decoding: body, as: UTF8.self)]))
        }

        fileprivate init(text: String) { self.text = text }

        /// Compares in constant time.
        package static func == (left: BodyDigest, right: BodyDigest) -> Bool {
            isEqualInConstantTime(Array(left.text.utf8), Array(right.text.utf8))
        }
    }

    /// - Parameters:
    ///   - name: The name of the user, for the audit log.
    ///   - target: The method, a space, and the path below ``AdminAPI/root``.
    ///   - body: The body of the request.
    package init(_ name: String, for target: String, _ body: BodyDigest, at timestamp: Date) {
        self.init(name, target, body, at: timestamp, id: [])
    }

    private init(_ name: String, _ target: String, _ body: BodyDigest, at timestamp: Date, id: [UInt8]) {
        actor = AuditActor(.commandLineUser, name: name)
        self.target = target
        self.body = body
        self.id = id
        created = Date(timeIntervalSince1970: timestamp.timeIntervalSince1970.rounded(.down))
    }

    /// Returns the text of the header.
    package func sealed(with key: PseudonymKey) throws -> String {
        var writer = ByteWriter()
        writer.write(Int64(created.timeIntervalSince1970))
        writer.write(text: actor.name)
        writer.write(text: target)
        writer.write(text: body.text)
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
            let body = reader.readText(), reader.isAtEnd, sealedFor.utf8.elementsEqual(target.utf8)
        else { return nil }
        let pass = LocalOperatorPass(
            name, target, BodyDigest(text: body), at: Date(timeIntervalSince1970: TimeInterval(seconds)), id: bytes)
        return abs(now.timeIntervalSince(pass.created)) <= lifetime ? pass : nil
    }
}
