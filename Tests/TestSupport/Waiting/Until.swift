/// Lets other tasks run until it is so. What is waited for always comes, or the test hangs and its time limit speaks.
public func until(_ isSo: () -> Bool) async {
    while !isSo() { await Task.yield() }
}
