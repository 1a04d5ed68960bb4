import Gatefold
import TestSupport
import Testing

/// The backend of the module's guide, word for word.
private struct StaffBackend: SubscriberBackend {
    let name = "staff"

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        guard credentials.identifier.hasSuffix("@example.com") else { return .notRecognised(message: nil) }
        return .recognised(Subscriber(backend: name, key: credentials.identifier))
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        Subscription(state: .active)
    }
}

@Suite("The guide to the domain")
struct GuideTests {
    @Test("shows a backend that works as it stands")
    func backend() async throws {
        let backend = StaffBackend()
        let typed = Credentials(identifier: "ada@example.com", fields: [:])
        guard case .recognised(let subscriber) = try await backend.recognise(typed, inquiry: Inquiry()) else {
            Issue.record("not recognised")
            return
        }
        #expect(try await backend.renew(subscriber, inquiry: Inquiry()) == .recognised(subscriber))
        let stranger = Credentials(identifier: "ada@example.org", fields: [:])
        #expect(try await backend.recognise(stranger, inquiry: Inquiry()) == .notRecognised(message: nil))
    }
}
