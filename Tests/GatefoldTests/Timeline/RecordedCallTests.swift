import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Events of the use cases") struct RecordedCallTests {
    private let store = FakeTimelineStore()
    private static let key = PseudonymKey(.one)
    private static func subject(_ key: String) -> TimelineSubject {
        .subscriber(self.key.reference(to: Subscriber(backend: "scripted", key: key)))
    }

    /// Passes a service with a timeline to the test, and returns the events.
    private func events(
        of harness: AuthorizationHarness, _ test: (AuthorizationService) async throws -> Void
    ) async throws -> [TimelineEntry] {
        let recorder = TimelineRecorder(
            store: store, pseudonymKey: Self.key, clock: harness.clock.wall, random: .seeded(3))
        try await test(harness.authorizationService.recording(in: recorder))
        await recorder.flush()
        return store.entries
    }

    private func context(_ identifier: String, _ password: String = "right", device: String? = nil) -> CallContext {
        var fields = ["email": identifier, "password": password]
        fields["device"] = device
        return CallContext(fields: fields)
    }

    @Test("A session from the sign-in on a new device to the sign-out")
    func session() async throws {
        let harness = AuthorizationHarness { $0.deviceField = "device" }
        let entries = try await events(of: harness) { service in
            for _ in 0..<2 { _ = try await service.signIn(context("ann@example.com", device: "phone")) }
            let token = try #require(
                try await service.signIn(context("ann@example.com", device: "phone")).token)
            _ = try await service.verify(token: token, CallContext())
            harness.backend.response(Subscription(state: .suspended))
            _ = try await service.verify(token: token, CallContext())
            try await service.signOut(token: token, CallContext())
        }
        let phone = Self.key.reference(toDevice: "phone")
        #expect(entries.allSatisfy { $0.subject == Self.subject("ann@example.com") && $0.event.publication == .daily })
        #expect(
            entries.map(\.event.kind) == [
                .deviceAdded, .signIn, .signIn, .signIn, .subscriptionChanged, .refused, .sessionEnded,
            ])
        #expect((entries.prefix(4) + entries.suffix(1)).allSatisfy { $0.event.device == phone })
        #expect(entries[4].event.detail == "active 0 > suspended 0")
        #expect(entries[5].event.reason == "reader_suspended" && entries[5].event.call == "verify")
        let readers = store.batches.flatMap(\.readers).map { $0.sealed.subscriber(Self.key) }
        #expect(readers == [Subscriber(backend: "scripted", key: "ann@example.com")])
    }

    @Test(
        "Edition credentials, refused editions and fail-open credentials. A refused edition is named only if it exists",
        arguments: [false, true])
    func editions(hasCatalogue: Bool) async throws {
        let editions = [EditionID.first, .second].map {
            Edition(id: $0, title: "", published: Date(timeIntervalSince1970: 0))
        }
        let harness = AuthorizationHarness(catalogue: Catalogue(hasCatalogue ? editions : [])) { $0.failsOpen = true }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        let entries = try await events(of: harness) { service in
            let token = try #require(try await service.signIn(context("ann")).token)
            for edition in [EditionID.first, .second] {
                _ = try await service.editionCredentials(token: token, edition: edition.rawValue, CallContext())
            }
            harness.backend.startOutage()
            _ = try await service.editionCredentials(token: token, edition: EditionID.first.rawValue, CallContext())
        }
        #expect(entries.map(\.event.kind) == [.signIn, .credentialsIssued, .refused, .failedOpen])
        // Without a catalogue, the refused edition may be any text that the app sent, such as a password.
        #expect(entries.dropFirst().map(\.event.edition) == [.first, hasCatalogue ? .second : nil, .first])
        #expect(entries[2].event.reason == "not_included" && entries[2].event.call == "edition_credentials")
    }

    @Test("Pitfall 6: a wrong password is one event, of the reader if the system found one, else of what was typed")
    func wrongPasswords() async throws {
        let harness = AuthorizationHarness()
        harness.backend.authenticateWith { credentials in
            credentials.identifier == "known@example.com"
                ? .rejected(message: nil, found: FoundSubscribers([Subscriber(backend: "scripted", key: "1")]))
                : .rejected(message: nil)
        }
        let entries = try await events(of: harness) { service in
            for identifier in ["known@example.com", "Nobody@Example.com"] {
                _ = try await service.signIn(context(identifier, "wrong"))
            }
        }
        #expect(
            Set(entries.map(\.subject)) == [
                Self.subject("1"), .identifier(Self.key.typedIdentifier("nobody@example.com")),
            ])
        #expect(entries.count == 2 && Set(entries.map(\.event)).count == 1)
        #expect(entries[0].event.kind == .signInRefused && entries[0].event.reason == "wrong_credentials")
        #expect(entries.map(\.category) == [.refusals, .unverified])
        #expect(
            store.batches.flatMap(\.readers).map(\.pseudonym) == [
                Self.key.reference(to: Subscriber(backend: "scripted", key: "1"))
            ])
    }

    @Test("Throttled sign-ins are events of what was typed")
    func throttled() async throws {
        var limits = LoginThrottleLimits()
        limits.perIdentifier = 2
        let harness = AuthorizationHarness(loginThrottle: LoginThrottle(limits: limits))
        let entries = try await events(of: harness) { service in
            for number in 0..<6 { _ = try await service.signIn(context("ann@example.com", "wrong \(number)")) }
        }
        #expect(Set(entries.map(\.subject)) == [.identifier(Self.key.typedIdentifier("ann@example.com"))])
        #expect(Set(entries.map(\.event.reason)) == ["wrong_credentials", "throttled"])
        #expect(entries.reduce(0) { $0 + $1.count } == 6)
    }

    @Test("The device that loses its place, and the one over the limit")
    func devices() async throws {
        for onLimit in [DeviceLimit.LimitAction.evict, .reject] {
            let harness = AuthorizationHarness {
                $0.deviceField = "device"
                $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: onLimit)
            }
            let before = store.entries.count
            let entries = try await events(of: harness) { service in
                for device in ["phone", "tablet"] { _ = try await service.signIn(context("ann", device: device)) }
            }.dropFirst(before)
            let kinds = entries.map(\.event.kind)
            switch onLimit {
            case .evict:
                #expect(kinds == [.deviceAdded, .signIn, .deviceEvicted, .deviceAdded, .signIn])
                let evicted = try #require(entries.first { $0.event.kind == .deviceEvicted }?.event.detail)
                #expect(Self.key.reference(toDevice: "phone").description.hasPrefix(evicted) && evicted.count == 8)
            default:
                #expect(kinds == [.deviceAdded, .signIn, .signInRefused])
                #expect(entries.last?.event.reason == "device_limit")
            }
        }
    }
}
