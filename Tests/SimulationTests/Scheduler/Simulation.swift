import CSimulation
import Foundation
import Primitives
import TestSupport

/// The time, the order and the randomness of a simulation.
///
/// One thread runs all tasks of all nodes, one step at a time. A step ends where a task suspends. The seed chooses which
/// of the tasks that are ready runs next, and time passes only when none is ready. So a seed always gives the same run. In
/// another process it does if `SWIFT_DETERMINISTIC_HASHING` is set, because the order of sets and dictionaries matters.
///
/// All properties of this class and of the other parts of a simulation are used on that thread only.
final class Simulation: Sendable {
    private enum Step {
        case task(UnsafeMutableRawPointer)
        case action(() -> Void)
    }

    /// The time at which each simulation starts.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    /// A run with more steps does not end by itself.
    private static let maxSteps = 2_000_000

    nonisolated(unsafe) var random: SeededRandom
    /// The seconds since the start.
    nonisolated(unsafe) private(set) var now: TimeInterval = 0
    nonisolated(unsafe) private(set) var isOver = false
    nonisolated(unsafe) private(set) var steps = 0
    /// The result of the checks: the first violation of an invariant.
    nonisolated(unsafe) private(set) var violation: String?
    /// What happened, for a failing run that is repeated.
    nonisolated(unsafe) private(set) var log: [String] = []
    nonisolated(unsafe) private var ready: [Step] = []
    nonisolated(unsafe) private var timers = TimerQueue()
    nonisolated(unsafe) private var suspended: [Int: () -> Void] = [:]
    nonisolated(unsafe) private var lastNumber = 0
    private let logs: Bool

    /// - Parameter logs: Whether the run is described in ``log``.
    init(seed: UInt64, logs: Bool) {
        random = SeededRandom(seed: seed)
        self.logs = logs
    }

    /// Runs until a time, or until an invariant is violated, and then ends all tasks. Call it on a thread of its own.
    ///
    /// - Parameter begin: The first step.
    func run(until end: TimeInterval, _ begin: () -> Void, end tearDown: () -> Void) {
        simulation_begin(Unmanaged.passUnretained(self).toOpaque()) { context, job in
            Unmanaged<Simulation>.fromOpaque(context).takeUnretainedValue().ready.append(.task(job))
        }
        defer { simulation_end() }
        begin()
        while violation == nil, steps < Self.maxSteps {
            if step() { continue }
            guard let next = timers.first, next <= end else { break }
            now = max(now, next)
            timers.removeFirst()()
        }
        if steps >= Self.maxSteps { violation = violation ?? "the run does not end" }
        isOver = true
        tearDown()
        let taken = steps
        for number in suspended.keys.sorted() { suspended.removeValue(forKey: number)?() }
        while step(), steps < taken + Self.maxSteps {}
        steps = taken
    }

    /// Runs one of the steps that are ready.
    private func step() -> Bool {
        if ready.isEmpty { return false }
        steps += 1
        let index = ready.count == 1 ? 0 : Int.random(in: 0..<ready.count, using: &random)
        ready.swapAt(index, ready.count - 1)
        switch ready.removeLast() {
        case .task(let job): simulation_run(job)
        case .action(let action): action()
        }
        return true
    }

    /// Performs an action after a number of seconds.
    func after(_ seconds: TimeInterval, _ action: @escaping () -> Void) {
        if isOver { return }
        timers.add(action, at: now + max(0, seconds))
    }

    /// Performs an action as a step of its own.
    func soon(_ action: @escaping () -> Void) { ready.append(.action(action)) }

    /// Returns a number between the bounds.
    func number(_ low: TimeInterval, _ high: TimeInterval) -> TimeInterval { .random(in: low...high, using: &random) }

    func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

    func violate(_ message: @autoclosure () -> String) {
        if violation == nil, !isOver { violation = message() }
    }

    func note(_ message: @autoclosure () -> String) {
        if logs, !isOver { log.append("\(String(format: "%9.4f", now)) \(message())") }
    }

    // MARK: Suspension

    /// Suspends a task until it is resumed, or until the simulation ends.
    ///
    /// - Parameters:
    ///   - life: The process that the task belongs to; nil outside of the nodes.
    ///   - begin: Receives the function that resumes the task. Further calls of it have no effect.
    func suspend<Value: Sendable>(
        in life: NodeLife? = nil, _ begin: (Resumption<Value>) -> Void
    ) async throws -> Value {
        if isOver { throw CancellationError() }
        let resumption = Resumption<Value>(self, life)
        return try await withUnsafeThrowingContinuation { continuation in
            lastNumber += 1
            let number = lastNumber
            suspended[number] = { resumption.complete(.failure(CancellationError())) }
            resumption.wait(continuation) { [self] in suspended[number] = nil }
            begin(resumption)
        }
    }

    /// Waits like `Task.sleep`.
    func sleep(_ seconds: TimeInterval, in life: NodeLife? = nil) async throws {
        let timer = Cancellation()
        try await withTaskCancellationHandler {
            try await suspend(in: life) { (resumption: Resumption<Void>) in
                timer.action = { resumption.resume(.failure(CancellationError())) }
                if Task.isCancelled { return resumption.resume(.failure(CancellationError())) }
                after(seconds + number(0, 0.001)) { resumption.resume(.success(())) }
            }
        } onCancel: {
            timer.action?()
        }
    }

    private final class Cancellation: Sendable {
        nonisolated(unsafe) var action: (() -> Void)?
    }
}

/// A suspended task.
final class Resumption<Value: Sendable>: Sendable {
    private let simulation: Simulation
    private let life: NodeLife?
    nonisolated(unsafe) private var continuation: UnsafeContinuation<Value, any Error>?
    nonisolated(unsafe) private var didComplete: () -> Void = {}

    fileprivate init(_ simulation: Simulation, _ life: NodeLife?) {
        self.simulation = simulation
        self.life = life
    }

    fileprivate func wait(_ continuation: UnsafeContinuation<Value, any Error>, _ didComplete: @escaping () -> Void) {
        self.continuation = continuation
        self.didComplete = didComplete
    }

    /// Resumes the task, unless its process has crashed. A process that is paused continues later.
    func resume(_ result: Result<Value, any Error>) {
        guard let life, !simulation.isOver else { return complete(result) }
        life.whenRunning { self.complete(result) }
    }

    fileprivate func complete(_ result: Result<Value, any Error>) {
        guard let continuation else { return }
        self.continuation = nil
        didComplete()
        continuation.resume(with: result)
    }
}

/// The timers of a simulation: a binary heap, in the order of their times and then of their creation.
private struct TimerQueue {
    private struct Entry {
        let time: TimeInterval
        let number: Int
        let action: () -> Void

        func precedes(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var entries: [Entry] = []
    private var lastNumber = 0

    var first: TimeInterval? { entries.first?.time }

    mutating func add(_ action: @escaping () -> Void, at time: TimeInterval) {
        lastNumber += 1
        entries.append(Entry(time: time, number: lastNumber, action: action))
        var index = entries.count - 1
        while index > 0, entries[index].precedes(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> () -> Void {
        entries.swapAt(0, entries.count - 1)
        let removed = entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].precedes(entries[least]) { least = child }
            if least == index { break }
            entries.swapAt(index, least)
            index = least
        }
        return removed.action
    }
}
