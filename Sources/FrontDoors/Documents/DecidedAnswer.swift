package import Gatefold

/// A response that is known without asking anybody, for as long as it stands.
package struct DecidedAnswer: Sendable {
    package let answer: WholeAnswer
    /// The route of its request, as the router would name it.
    package let route: String
    package let standing: Standing
    package let repetition: Repetition
    /// Counts and remembers what is counted and remembered each time the answer is given.
    package let given: @Sendable () -> Void

    package init(
        _ answer: WholeAnswer, route: String, standing: Standing, repetition: Repetition = .same,
        given: @escaping @Sendable () -> Void
    ) {
        self.answer = answer
        self.route = route
        self.standing = standing
        self.repetition = repetition
        self.given = given
    }
}
