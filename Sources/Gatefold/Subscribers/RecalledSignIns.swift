import Synchronization

/// A sign-in that was answered from memory, as what other processes learn may undo it. Names are keyed digests.
public struct RecalledSignIn: Hashable, Sendable {
    /// Whom it is about.
    public struct Name: Hashable, Sendable {
        public let subject: [UInt8]
        /// Tells what was proved with from what else they could prove with; nil where nothing takes its place.
        public let mark: UInt16?

        public init(subject: [UInt8], mark: UInt16?) {
            self.subject = subject
            self.mark = mark
        }
    }

    public let backend: String
    /// The identifier and the subscriber.
    public let names: [Name]

    public init(backend: String, names: [Name]) {
        self.backend = backend
        self.names = names
    }
}

/// Tells whoever signs somebody in what of it came from memory.
public final class RecalledSignIns: Sendable {
    @TaskLocal private static var current: RecalledSignIns?
    private let noted = Mutex<[RecalledSignIn]>([])

    private init() {}

    /// Called by whatever answers from memory, in the task of whoever asks.
    public static func note(_ recalled: RecalledSignIn) { current?.noted.withLock { $0.append(recalled) } }

    static func watching<Answer: Sendable>(
        _ ask: () async throws -> Answer
    ) async throws -> (answer: Answer, recalled: [RecalledSignIn]) {
        let own = RecalledSignIns()
        let answer = try await $current.withValue(own) { try await ask() }
        return (answer, own.noted.withLock { $0 })
    }
}
