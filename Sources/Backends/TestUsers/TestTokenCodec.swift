import Foundation
public import Gatefold

/// The codec of the test users' tokens: the user name in reverse. The token protects nothing and is for the test
/// backend only.
///
/// Every `X` in a token is deleted before the token is read. An invented token yields an unknown user, and no token
/// yields the user without a name, so that the backend words the rejections.
///
/// Source: Pugpig test endpoint and test console, “Test tokens and passwords”.
public struct TestTokenCodec: TokenCodec {
    private let publication: PublicationID
    private let backend: String

    /// Creates a codec.
    ///
    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - backend: The name of the ``TestUsersBackend`` that issues these tokens.
    public init(publication: PublicationID, backend: String = TestUsersBackend.defaultName) {
        self.publication = publication
        self.backend = backend
    }

    public func seal(_ session: Session) -> String {
        let subscriber = session.subscriber
        let token = subscriber.key == TestUser.longJSONName ? Self.longToken : String(subscriber.key.reversed())
        return token + (subscriber.upstreamSession ?? "")
    }

    /// Returns the session of a token. The session never ends: every client that reverses the user's name shares
    /// the session, so a sign-out must not end it for the others.
    public func open(_ token: String) -> Session? {
        let bare = token.filter { $0 != "X" }
        let renewals = token.count - bare.count
        guard let reference = SessionPseudonym(bytes: [0, 0, 0, 0]) else { return nil }
        return Session(
            publication: publication,
            subscriber: Subscriber(
                backend: backend, key: bare == Self.longToken ? TestUser.longJSONName : String(bare.reversed()),
                upstreamSession: renewals == 0 ? nil : String(repeating: "X", count: renewals)),
            device: nil, reference: reference, issuedAt: .distantFuture, expiresAt: .distantFuture)
    }

    /// A text of two lines and about 3,500 characters that resembles JSON and contains characters that are often
    /// escaped wrongly, but no `X`.
    static let longToken: String = {
        let rights = (1...48).map { number in
            #"{"edition":"com.example.title.\#(1000 + number)","until":"2099-12-31T23:59:59+00:00"}"#
        }
        return #"{"session":{"id":"a+b/c=100%&d;<e>'f'","user":"longjson","roles":["reader","tester"]},"#
            + "\n" + #""rights":["# + rights.joined(separator: ", ") + "]}"
    }()
}
