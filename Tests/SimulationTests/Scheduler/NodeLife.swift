import Foundation

/// One process of a node, from its start to its end.
///
/// A process that has crashed never continues: its tasks stay suspended where they are. A process that is paused, as by
/// SIGSTOP, continues where it was.
final class NodeLife: Sendable {
    let simulation: Simulation
    /// The index of the node.
    let node: Int
    nonisolated(unsafe) private(set) var hasEnded = false
    nonisolated(unsafe) private(set) var pausedUntil: TimeInterval = 0
    /// The tasks of the process, which are cancelled when the simulation ends.
    nonisolated(unsafe) private var tasks: [Task<Void, Never>] = []
    nonisolated(unsafe) private var didCrash: [Int: () -> Void] = [:]
    nonisolated(unsafe) private var lastNumber = 0

    init(_ simulation: Simulation, node: Int) {
        self.simulation = simulation
        self.node = node
    }

    var isRunning: Bool { !hasEnded && simulation.now >= pausedUntil }

    /// Performs an action of the process: now, when it is no longer paused, or never.
    func whenRunning(_ action: @escaping () -> Void) {
        if hasEnded { return }
        guard simulation.now < pausedUntil else { return action() }
        simulation.after(pausedUntil - simulation.now) { self.whenRunning(action) }
    }

    func pause(for seconds: TimeInterval) { pausedUntil = max(pausedUntil, simulation.now + seconds) }

    /// Starts a task of the process.
    func start(_ body: @escaping @Sendable () async -> Void) { tasks.append(Task { await body() }) }

    /// - Parameter action: An effect of a crash on the rest of the world, such as the end of a connection.
    /// - Returns: The number with which ``removeCrashAction(_:)`` removes it.
    func onCrash(_ action: @escaping () -> Void) -> Int {
        lastNumber += 1
        didCrash[lastNumber] = action
        return lastNumber
    }

    func removeCrashAction(_ number: Int) { didCrash[number] = nil }

    func crash() {
        hasEnded = true
        let actions = didCrash
        didCrash = [:]
        for (_, action) in actions.sorted(by: { $0.key < $1.key }) { action() }
    }

    /// Ends the tasks when the simulation is over.
    func tearDown() {
        hasEnded = false
        pausedUntil = 0
        tasks.forEach { $0.cancel() }
    }
}
