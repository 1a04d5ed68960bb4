/// A statement of the configuration with named parameters, such as `SELECT id FROM readers WHERE email = :identifier`.
struct SQLStatement: Sendable, Equatable {
    /// An answer of more rows is refused: nobody holds so many editions, and a forgotten WHERE would fetch everybody.
    static let mostRows = 100_000

    /// The statement as it was written.
    let text: String
}
