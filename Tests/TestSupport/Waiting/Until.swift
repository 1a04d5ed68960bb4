/// Yields to other tasks until the condition holds. A condition that never holds is caught by the test's time limit.
///
/// After a while it polls at intervals, because it would otherwise occupy a processor that other tasks need.
public func until(_ condition: () -> Bool) async {
    for _ in 0..<100 {
        if condition() { return }
        await Task.yield()
    }
    while !condition() {
        // A cancelled task does not sleep.
        if (try? await Task.sleep(for: .milliseconds(1))) == nil { await Task.yield() }
    }
}
