import Foundation
public import Gatefold

/// The test users' tokens: the user name backwards (PROTOCOLS 1.3). Protects nothing, and is for the test backend alone.
///
/// Every `X` in a token is deleted before it is read; a token made up by somebody stands for a user nobody knows, and no
/// token for the user without a name, so that the backend words the refusals.
public struct TestTokenCodec: TokenCodec {
    private let publication: PublicationID
    private let backend: String

    /// - Parameter backend: the name of the ``TestUsersBackend`` whose tokens these are.
    public init(publication: PublicationID, backend: String = TestUsersBackend.defaultName) {
        self.publication = publication
        self.backend = backend
    }

    public func seal(_ session: Session) -> String {
        let subscriber = session.subscriber
        let token = subscriber.key == TestUser.longJSONName ? Self.longToken : String(subscriber.key.reversed())
        return token + (subscriber.upstreamSession ?? "")
    }

    /// The session never ends: everybody who spells the user's name backwards shares it, so nobody's signing out may
    /// end it for the others.
    public func open(_ token: String) -> Session? {
        let bare = token.filter { $0 != "X" }
        let marks = token.count - bare.count
        guard let reference = SessionReference(bytes: [0, 0, 0, 0]) else { return nil }
        return Session(
            publication: publication,
            subscriber: Subscriber(
                backend: backend, key: bare == Self.longToken ? TestUser.longJSONName : String(bare.reversed()),
                upstreamSession: marks == 0 ? nil : String(repeating: "X", count: marks)),
            device: nil, reference: reference, issuedAt: .distantFuture, expiresAt: .distantFuture)
    }

    /// Two lines of some 3,500 characters that look like JSON and hold what escaping goes wrong with, but no `X`.
    static let longToken: String = {
        let rights = (1...48).map { number in
            #"{"edition":"com.example.title.\#(1000 + number)","until":"2099-12-31T23:59:59+00:00"}"#
        }
        return #"{"session":{"id":"a+b/c=100%&d;<e>'f'","user":"longjson","roles":["reader","tester"]},"#
            + "\n" + #""rights":["# + rights.joined(separator: ", ") + "]}"
    }()
}
