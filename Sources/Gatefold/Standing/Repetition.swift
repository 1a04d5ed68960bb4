/// How an answer is given again to the same question, as long as what it depends on stands.
public enum Repetition<Answer: Sendable>: Sendable {
    /// As it is.
    case same
    /// Something in it is new each time, such as credentials: it is made again, of what was decided.
    case anew(@Sendable () throws -> Answer)
    /// Something in it is new each time, and nobody wanted to know how it is made.
    case never

    /// The same for what another answer becomes.
    public func map<Other>(_ change: @escaping @Sendable (Answer) -> Other) -> Repetition<Other> {
        switch self {
        case .same: .same
        case .anew(let make): .anew { change(try make()) }
        case .never: .never
        }
    }
}
