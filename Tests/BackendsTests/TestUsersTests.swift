import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Tokens and names of the test users")
struct TestUsersTests {
    private let codec = TestTokenCodec(publication: PublicationID("title")!)

    private func session(_ key: String, renewals: String? = nil) -> Session {
        Session(
            publication: PublicationID("title")!,
            subscriber: Subscriber(backend: TestUsersBackend.defaultName, key: key, upstreamSession: renewals),
            device: nil,
            reference: SessionPseudonym(bytes: [0, 0, 0, 0])!, issuedAt: .distantFuture, expiresAt: .distantFuture)
    }

    @Test(
        "A token is the reversed name and is decoded again",
        arguments: ["activeall", "peter", "200-zzz-500", "longjson", ""])
    func roundTrip(name: String) {
        for renewals in [nil, "X", "XXX"] {
            let session = session(name, renewals: renewals)
            #expect(codec.open(codec.seal(session)) == session)
        }
        #expect(codec.seal(session("activeall")) == "llaevitca")
    }

    @Test("Every X in a token is removed, at any position")
    func renewals() {
        #expect(codec.open("XlXlaeXvitcaX")?.subscriber.key == "activeall")
        #expect(codec.open(String(TestTokenCodec.longToken.reversed()))?.subscriber.key != "longjson")
    }

    @Test("The long token is long, has two lines, and holds every character that needs escaping")
    func longToken() {
        let token = TestTokenCodec.longToken
        #expect((3000...4500).contains(token.utf8.count))
        #expect(token.split(separator: "\n").count == 2)
        for character in "{}\"':,+/=%&;<>\n" { #expect(token.contains(character)) }
        #expect(!token.contains("X"))
    }

    @Test("A test user's session never ends, so that no user ends it for the others")
    func shared() {
        #expect(codec.open("llaevitca")?.expiresAt == .distantFuture)
        #expect(codec.open("llaevitca")?.issuedAt == .distantFuture)
    }

    @Test("Only the global test users are granted the feed")
    func feed() {
        let backend = TestUsersBackend()
        for name in ["activeglobal", "lapsedglobal", "flipglobal"] {
            #expect(backend.grantsFeed(to: session(name).subscriber))
        }
        for name in ["activeall", "peter", "longjson", "nobody", ""] {
            #expect(!backend.grantsFeed(to: session(name).subscriber))
        }
    }

    @Test("A name without exactly three status codes is no status coder", arguments: ["a-b", "a-b-c-d", "abc", ""])
    func noStatusCoder(name: String) {
        #expect(TestUser(name) == nil)
        #expect(
            TestUser("200-zzz-000")
                == .statusCoder(signIn: .fine, verification: .late, credentials: .notXML))
        #expect(
            TestUser("404-99-x")
                == .statusCoder(signIn: .status(404), verification: .status(500), credentials: .status(500)))
    }
}
