/// The result of one concurrent call to a chain's member, with the member's position in the chain.
///
/// This is a struct because Swift 6.3.1 miscompiles a throwing task group whose child result is a tuple of this shape: the
/// optimised program traps. `Fixtures/Compiler/TupleTaskGroup.swift` is the reduced program.
struct MemberResult<Value: Sendable>: Sendable {
    let position: Int
    let result: Result<Value, any Error>

    /// Calls the member, and catches the error if it throws one.
    init(_ position: Int, _ call: () async throws -> Value) async {
        self.position = position
        do {
            result = .success(try await call())
        } catch {
            result = .failure(error)
        }
    }
}
