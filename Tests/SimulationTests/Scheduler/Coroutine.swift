import CSimulation

/// A synchronous call that can wait in the simulation, like the thread of a connection that blocks in libpq.
final class Coroutine: Sendable {
    nonisolated(unsafe) private var handle: OpaquePointer?
    nonisolated(unsafe) private var body: ((Coroutine) -> Void)?

    /// Starts a call. It runs until it first waits.
    ///
    /// - Parameter body: Receives its own coroutine.
    static func start(_ body: @escaping (Coroutine) -> Void) {
        let coroutine = Coroutine()
        coroutine.body = body
        coroutine.handle = simulation_coroutine_create(Unmanaged.passRetained(coroutine).toOpaque()) { context in
            Unmanaged<Coroutine>.fromOpaque(context).takeRetainedValue().perform()
        }
        coroutine.resume()
    }

    private func perform() {
        body?(self)
        body = nil
        handle = nil
    }

    /// Continues the call, unless it has ended.
    func resume() {
        if let handle { simulation_coroutine_resume(handle) }
    }

    /// Suspends the running call until it is resumed.
    static func suspend() { simulation_coroutine_suspend() }
}
