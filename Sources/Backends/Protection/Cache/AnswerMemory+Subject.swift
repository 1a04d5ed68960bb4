import Gatefold

extension AnswerMemory {
    /// Whom answers are about. Forgetting goes by these, so two people who share one by chance are merely asked about anew.
    enum Group: Hashable, Sendable {
        /// A keyed digest of what they sign in with.
        case identifier(UInt64)
        /// Their reference, as the logs show it.
        case subscriber(UInt64)
    }

    enum Finding: Equatable {
        case fresh(Answer)
        /// - Parameter isDue: whether it is this one's turn to have it asked anew.
        case ageing(Answer, isDue: Bool)
        case missing
    }

    /// What is known of an answer beside itself.
    struct Subject: Sendable {
        let key: QuestionKey
        let groups: [Group]
        /// What a reader proved with, of an answer to credentials that were typed; see ``QuestionKeys/proofs(of:)``.
        var proofs: UInt64?
        /// What a verdict is on.
        var edition: EditionID?
    }
}
