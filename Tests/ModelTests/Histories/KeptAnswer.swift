import Gatefold

/// An answer as a listener keeps it, to give it once more to the same question in the same second.
struct KeptAnswer {
    let second: Int
    let standing: Standing
    /// For whoever reads of a contradiction.
    let words: String
    /// Whether it is what would be answered now.
    let isRight: () throws -> Bool
}
