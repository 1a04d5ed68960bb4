public import Testing

/// Polls until the condition holds and returns whether it does.
///
/// The last check starts after the bound, so a slow machine causes no failure: only a state that is still wrong for a
/// request after the bound does.
///
/// - Parameter bound: The time within which the condition must hold. Pass the product's promised bound. The default is
///   for conditions without one.
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

/// Waits like ``eventually(within:isolation:_:)`` and fails the test if the condition does not hold.
///
/// - Parameter expectation: The description of the condition in the failure.
public func eventually(
    _ expectation: Comment, within bound: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ holds: () async throws -> Bool
) async throws {
    guard try await eventually(within: bound, holds) else {
        Issue.record(expectation, sourceLocation: sourceLocation)
        return
    }
}
