import Gatefold

/// One verdict on an edition of the verdicts of several members.
///
/// One that grants is enough, whatever befell the others. Without it, everyone's answer counts: one that could not be asked
/// might have granted, and one without a verdict of its own leaves it to the subscription.
struct VerdictUnion {
    private var answers: [Result<EditionVerdict?, any Error>?]

    init(count: Int) {
        answers = Array(repeating: nil, count: count)
    }

    /// Returns true when the verdict is "granted" already.
    mutating func take(_ answer: Result<EditionVerdict?, any Error>, from member: Int) -> Bool {
        answers[member] = answer
        if case .success(.granted) = answer { return true }
        return false
    }

    /// - Throws: the error of the first that could not be asked.
    func outcome() throws -> EditionVerdict? {
        let verdicts = try answers.compactMap(\.self).map { try $0.get() }
        if verdicts.contains(.granted) { return .granted }
        // Also for nobody at all: their subscription says that they are unknown.
        if verdicts.isEmpty || verdicts.contains(nil) { return nil }
        return verdicts[0]
    }
}
