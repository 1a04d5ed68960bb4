public import Testing

/// Checks again and again until the condition holds, and returns whether it does.
///
/// The last check begins after the bound, so a busy machine fails nothing that is right: only a state that is still wrong for a
/// request made after the bound does.
///
/// - Parameter bound: how soon it must hold. Pass the bound that the product promises; the default is for what has none.
public func eventually(
    within bound: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    _ holds: () async throws -> Bool
) async throws -> Bool {
    let deadline = ContinuousClock.now + bound
    while ContinuousClock.now < deadline {
        if try await holds() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return try await holds()
}

/// Waits as ``eventually(within:isolation:_:)`` does, and fails the test if the condition does not hold.
///
/// - Parameter expectation: what is waited for, as the failure names it.
public func eventually(
    _ expectation: Comment, within bound: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ holds: () async throws -> Bool
) async throws {
    guard try await eventually(within: bound, holds) else {
        Issue.record(expectation, sourceLocation: sourceLocation)
        return
    }
}
