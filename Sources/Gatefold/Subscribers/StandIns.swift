import Synchronization

/// Tells whoever asks a backend that an answer was given before: the last good one, because nobody could be asked now.
///
/// Such an answer serves the reader, and teaches nobody anything: what was learnt since must outlast it (PITFALLS row 9).
public final class StandIns: Sendable {
    @TaskLocal private static var current: StandIns?
    private let wereGiven = Atomic(false)

    private init() {}

    /// Called by whatever gives an earlier answer, in the task of whoever asks.
    public static func note() { current?.wereGiven.store(true, ordering: .relaxed) }

    /// Asks, and says whether an earlier answer had a part in what was answered.
    static func watching<Answer: Sendable>(
        _ ask: () async throws -> Answer
    ) async throws -> (answer: Answer, isEarlier: Bool) {
        let own = StandIns()
        // Whoever watches from further out hears of it, too.
        defer { if own.wereGiven.load(ordering: .relaxed) { note() } }
        let answer = try await $current.withValue(own) { try await ask() }
        return (answer, own.wereGiven.load(ordering: .relaxed))
    }
}
