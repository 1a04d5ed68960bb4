import Commerce
import Gatefold
import State

/// A search for readers of one publication by one text: a sign-in identifier, a key, a pseudonym, a token, a device or an order.
struct ReaderSearch: Sendable {
    enum Match: String, Sendable, CaseIterable {
        case identifier, key, pseudonym, token, device, order
    }

    /// The readers that were found, each once, and what was not searched.
    struct Result: Sendable {
        fileprivate(set) var readers: [(subscriber: Subscriber, match: Match)] = []
        /// The backends that cannot find readers by an identifier alone.
        fileprivate(set) var unsupported: Set<String> = []
        /// The backends that did not respond, with the causes.
        fileprivate(set) var failures: [String: String] = [:]
        fileprivate(set) var hasMore = false

        var isComplete: Bool { unsupported.isEmpty && failures.isEmpty && !hasMore }
    }

    /// The maximum number of readers in a result.
    static let maxReaders = 50

    private let services: AdminServices
    private let service: AuthorizationService
    private let family: [String]

    init(_ services: AdminServices, in service: AuthorizationService) {
        self.services = services
        self.service = service
        family = services.family(of: service)
    }

    private var publication: PublicationID { service.publication.id }

    /// Returns the readers of the publication to whom a text belongs.
    ///
    /// - Throws: The error of the state, or a cancellation error. A failure of a backend is in the result.
    func run(_ text: String) async throws -> Result {
        var result = Result()
        if let token = service.inspect(token: text) {
            add(token.session.subscriber, .token, &result)
            return result
        }
        // A token of another publication, or of a former secret, must not reach a subscriber system.
        if Self.resemblesToken(text) { return result }
        // A pseudonym is a keyed digest, so that a text which is one is nothing else.
        try await addPseudonym(text, &result)
        try await addDevice(text, &result)
        guard result.readers.isEmpty else { return result }
        try await addOrder(text, &result)
        try await addSubscribers(text, &result)
        return result
    }

    /// The length beyond which a text of the characters of a token is no identifier: that of a SHA-256 digest.
    private static let maxIdentifierLength = 64

    static func resemblesToken(_ text: String) -> Bool {
        text.hasPrefix("gfa_")
            || (text.utf8.count > maxIdentifierLength
                && text.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                })
    }

    /// Adds a reader of the publication. Another publication's reader must not be revealed.
    private func add(_ subscriber: Subscriber, _ match: Match, _ result: inout Result) {
        guard family.contains(subscriber.backend),
            !result.readers.contains(where: {
                $0.subscriber.backend == subscriber.backend && $0.subscriber.key == subscriber.key
            })
        else { return }
        if result.readers.count == Self.maxReaders {
            result.hasMore = true
        } else {
            result.readers.append((Subscriber(backend: subscriber.backend, key: subscriber.key), match))
        }
    }

    private func addPseudonym(_ text: String, _ result: inout Result) async throws {
        guard let pseudonym = SubscriberPseudonym(text) else { return }
        if let known = try await known(pseudonym) { add(known, .pseudonym, &result) }
    }

    private func addDevice(_ text: String, _ result: inout Result) async throws {
        guard let device = DevicePseudonym(text) else { return }
        let limit = Self.maxReaders + 1
        for pseudonym in try await services.state.subscribers(with: device, in: publication, limit: limit) {
            if let known = try await known(pseudonym) {
                add(known, .device, &result)
            } else {
                // The timeline does not record readers, or does not have this one any more.
                result.hasMore = true
            }
        }
    }

    private func addOrder(_ text: String, _ result: inout Result) async throws {
        guard let purchases = service.purchases else { return }
        let catalogue = service.publication.rule.catalogue
        let owners = try await purchases.owners(ofTransaction: text, in: catalogue)
        var linked: [Subscriber] = []
        for owner in owners.prefix(Self.maxReaders) {
            if let subscriber = try await purchases.subscriber(linkedWith: owner, pseudonymKey: services.key) {
                linked.append(subscriber)
            }
        }
        for subscriber in linked { add(subscriber, .order, &result) }
        // The buyer is an installation or an account without a subscriber, or a subscriber whom the ledger cannot name.
        if linked.isEmpty, !owners.isEmpty { result.hasMore = true }
    }

    private func known(_ pseudonym: SubscriberPseudonym) async throws -> Subscriber? {
        try await services.state.knownReader(pseudonym)?.subscriber(services.key)
    }

    /// Queries the backends of the publication, through their protections.
    private func addSubscribers(_ text: String, _ result: inout Result) async throws {
        let set = services.publications.value
        let inspection = ReaderInspection(serving: service, in: set)
        guard let credentials = inspection.credentials(finding: text) else { return }
        let lookup = try await inspection.lookUp(credentials)
        for subscriber in lookup.subscribers { add(subscriber, .identifier, &result) }
        result.unsupported.formUnion(lookup.unsupported)
        result.failures.merge(lookup.failures) { first, _ in first }
        // The key of a test user is the identifier, and a test backend has a subscription for every key.
        let isTest = set.configuration?.publications.first { $0.publication.id == publication }?.isTest ?? false
        guard !isTest else { return }
        for backend in family where result.failures[backend] == nil {
            let subscriber = Subscriber(backend: backend, key: text)
            // A backend with sessions of its own does not know a subscriber without one.
            guard !service.backend.lacksSession(subscriber) else {
                result.unsupported.insert(backend)
                continue
            }
            do {
                let state = try await service.backend.subscription(of: subscriber, context: CallContext()).value.state
                if state != .unknown { add(subscriber, .key, &result) }
            } catch let error where !(error is CancellationError) {
                result.failures[backend] = ReaderInspection.cause(of: error)
            }
        }
    }
}
