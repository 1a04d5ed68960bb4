import Gatefold

/// The union of several members' verdicts on an edition.
///
/// One grant suffices, regardless of the other results. Without a grant, every result counts because a failed
/// member might have granted. If some members deny and others have no verdict, only the subscriptions of the latter
/// decide. An entitlement to everything at one member does not open an edition that this member denies.
struct VerdictUnion {
    enum Outcome: Equatable {
        case verdict(EditionVerdict?)
        /// The subscriptions of these members and those already received decide; if none opens the edition, the
        /// denial applies.
        case subscriptions(of: [Int], reported: [Subscription], otherwise: Rejection)
    }

    struct Rejection: Equatable {
        let reason: CredentialsRejection.Reason?
        let message: String?
    }

    private var results: [Result<Fetched<EditionVerdict?>, any Error>?]

    init(count: Int) {
        results = Array(repeating: nil, count: count)
    }

    /// Records the verdict of a member.
    ///
    /// - Returns: `true` if the verdict is a grant, so that no further result is needed.
    mutating func take(_ result: Result<Fetched<EditionVerdict?>, any Error>, from member: Int) -> Bool {
        results[member] = result
        if case .success(.granted) = result.map(\.value) { return true }
        return false
    }

    /// Returns the outcome of all recorded verdicts. It is as fresh as the least fresh of them.
    ///
    /// - Throws: The error of the first failed member.
    func outcome() throws -> Fetched<Outcome> {
        let results = results.compactMap(\.self)
        let outcome = try Self.outcome(of: results.map { $0.map(\.value) })
        return Fetched.all(results.compactMap { try? $0.get() }).map { _ in outcome }
    }

    private static func outcome(of results: [Result<EditionVerdict?, any Error>]) throws -> Outcome {
        // Grants precede failures because a failed member could only have granted as well.
        for case .success(.granted) in results { return .verdict(.granted) }
        let verdicts = try results.map { try $0.get() }
        var (undecided, reported, denials): ([Int], [Subscription], [Rejection]) = ([], [], [])
        for (member, verdict) in verdicts.enumerated() {
            switch verdict {
            case nil: undecided.append(member)
            case .granted: break
            case .rejected(let reason, let message): denials.append(Rejection(reason: reason, message: message))
            case .deferred(let subscriptions, otherwise: let reason, message: let message):
                reported += subscriptions
                denials.append(Rejection(reason: reason, message: message))
            }
        }
        // This also applies if there are no members: the subscription then has the state `unknown`.
        guard let rejection = denials.first else { return .verdict(nil) }
        if undecided.isEmpty, reported.isEmpty {
            return .verdict(.rejected(rejection.reason, message: rejection.message))
        }
        return .subscriptions(of: undecided, reported: reported, otherwise: rejection)
    }
}
