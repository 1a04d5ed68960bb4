/// Lets other tasks run until it is so. What is waited for always comes, or the test hangs and its time limit speaks.
///
/// What does not come soon is looked for at intervals: else this alone would take a processor, which others need.
public func until(_ isSo: () -> Bool) async {
    for _ in 0..<100 {
        if isSo() { return }
        await Task.yield()
    }
    while !isSo() {
        // Who was cancelled does not sleep.
        if (try? await Task.sleep(for: .milliseconds(1))) == nil { await Task.yield() }
    }
}
