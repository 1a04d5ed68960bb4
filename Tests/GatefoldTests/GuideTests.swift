import Gatefold
import TestSupport
import Testing

/// The backend from the module's guide, copied verbatim.
private struct StaffBackend: SubscriberBackend {
    let name = "staff"

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        guard credentials.identifier.hasSuffix("@example.com") else { return .rejected(message: nil) }
        return .authenticated(Subscriber(backend: name, key: credentials.identifier))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        Fetched(Subscription(state: .active))
    }
}

@Suite("Domain guide example")
struct GuideTests {
    @Test("The backend shown in the guide works unchanged")
    func backend() async throws {
        let backend = StaffBackend()
        let typed = Credentials(identifier: "ada@example.com", fields: [:])
        guard case .authenticated(let subscriber) = try await backend.authenticate(typed, context: CallContext()).value
        else {
            Issue.record("the reader was rejected")
            return
        }
        #expect(
            try await ResolvedBackend(backend).renew(subscriber, context: CallContext()) == .authenticated(subscriber))
        let unknownDevice = Credentials(identifier: "ada@example.org", fields: [:])
        #expect(try await backend.authenticate(unknownDevice, context: CallContext()).value == .rejected(message: nil))
    }
}
