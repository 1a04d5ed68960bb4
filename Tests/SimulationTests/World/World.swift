import Commerce
import Foundation
import Gatefold

@testable import State

/// Three nodes with their disks on one database server, the publisher's systems, and the readers.
final class World: Sendable {
    struct Outcome: Sendable {
        let violation: String?
        let log: [String]
        let tally: [String: Int]
        /// The number of steps, by which two runs are compared.
        let fingerprint: String
    }

    private let simulation: Simulation
    private let plan: Plan
    private let fault: PlantedFault?
    private let server: SimulatedServer
    private let network = NetworkFaults()
    private let system = PublisherSystem()
    private let checks: Checks
    private let disks = (0..<Plan.nodes).map { _ in SimulatedDisk() }
    nonisolated(unsafe) private var processes: [NodeProcess?] = Array(repeating: nil, count: Plan.nodes)
    nonisolated(unsafe) private var lives: [NodeLife] = []
    nonisolated(unsafe) private var sessions: [Checks.ReaderSession] = []
    /// The present session of each device.
    nonisolated(unsafe) private var present: [Int: Checks.ReaderSession] = [:]
    /// The number of sign-outs of each device without a response, and the time of the last response.
    nonisolated(unsafe) private var signOuts: [Int: (running: Int, last: TimeInterval)] = [:]
    nonisolated(unsafe) private var slowness = 0
    nonisolated(unsafe) private var absences = 0
    nonisolated(unsafe) private var losses = 0
    nonisolated(unsafe) private var wrongPasswords = 0

    /// Runs a plan. Call it on a thread of its own.
    ///
    /// - Parameter image: The image of the database, which runs on this thread use one after the other.
    static func run(
        _ plan: Plan, fault: PlantedFault? = nil, image: DatabaseImage, logs: Bool = false
    ) -> Outcome {
        let simulation = Simulation(seed: plan.schedule, logs: logs)
        do {
            let world = try World(plan, fault, simulation, image)
            simulation.run(until: Plan.end, world.begin, end: world.tearDown)
            return Outcome(
                violation: simulation.violation, log: simulation.log, tally: world.checks.tally,
                fingerprint: "\(simulation.steps) steps, \(world.checks.tally.sorted { $0.key < $1.key })")
        } catch {
            return Outcome(violation: "the simulation cannot start: \(error)", log: [], tally: [:], fingerprint: "")
        }
    }

    private init(_ plan: Plan, _ fault: PlantedFault?, _ simulation: Simulation, _ image: DatabaseImage) throws {
        self.plan = plan
        self.fault = fault
        self.simulation = simulation
        server = try SimulatedServer(simulation, image: image)
        checks = Checks(simulation)
    }

    private func begin() {
        server.didCommit = { [self] in committed($0) }
        for node in 0..<Plan.nodes { start(node) }
        for (time, event) in plan.events { simulation.after(time) { [self] in perform(event) } }
        simulation.after(Plan.calm) { [self] in verifyAll() }
    }

    private func tearDown() {
        server.tearDown()
        lives.forEach { $0.tearDown() }
    }

    // MARK: Nodes

    private func start(_ node: Int) {
        let life = NodeLife(simulation, node: node)
        lives.append(life)
        do {
            let process = try NodeProcess(
                life, skew: plan.skews[node], network: DatabaseNetwork(server, life, faults: network),
                disk: disks[node], system: system, checks: checks, fault: fault)
            processes[node] = process
            life.start { [self] in
                await process.run { [self] in
                    simulation.note("node \(node) serves")
                    checks.troubles.end(at: simulation.now, ofNode: node)
                }
            }
        } catch {
            simulation.violate("node \(node) does not start: \(error)")
        }
    }

    /// Sends a request to a node. A node that is not there, or that crashes, does not respond.
    private func call<Value: Sendable>(
        _ node: Int, _ request: @escaping @Sendable (NodeProcess) async throws -> Value,
        response: @escaping @Sendable (Result<Value, any Error>, NodeLife, _ start: TimeInterval) -> Void
    ) {
        guard let process = serving(node) else { return }
        let (life, simulation) = (process.life, simulation)
        life.whenRunning {
            let start = simulation.now
            life.start {
                let result: Result<Value, any Error>
                do { result = .success(try await request(process)) } catch { result = .failure(error) }
                if simulation.isOver { return }
                life.whenRunning { response(result, life, start) }
            }
        }
    }

    private func serving(_ node: Int) -> NodeProcess? { processes[node].flatMap { $0.isServing ? $0 : nil } }

    // MARK: Events

    private func perform(_ event: Plan.Event) {
        simulation.note(event.description)
        let now = simulation.now
        switch event {
        case .signIn(let client, let node): signIn(client, at: node)
        case .verify(let client, let node): if let session = present[client] { verify(session, at: node) }
        case .signOut(let client, let node): if let session = present[client] { signOut(session, at: node) }
        case .suspend(let reader):
            system.suspended.insert(PublisherSystem.name(reader))
            checks.suspend(reader)
        case .wrongPassword(let node): signInWrongly(at: node)
        case .order(let number, let node): order(number, at: node)
        case .crash(let node, let down):
            guard let process = processes[node] else { return }
            process.life.crash()
            processes[node] = nil
            checks.troubles.add(node: node, from: now, to: .infinity)
            checks.tally["crashes", default: 0] += 1
            simulation.after(down) { [self] in start(node) }
        case .pause(let node, let duration):
            processes[node]?.life.pause(for: duration)
            checks.troubles.add(node: node, from: now, to: now + duration)
        case .partition(let node, let duration):
            network.partition(node)
            checks.troubles.add(node: node, from: now, to: now + duration)
            simulation.after(duration) { [self] in network.heal(node) }
        case .backendAway(let duration):
            absences += 1
            system.isAway = true
            simulation.after(duration) { [self] in
                absences -= 1
                system.isAway = absences > 0
            }
        case .failover(let down, let clockOffset, let loss): failover(down, clockOffset, losing: loss)
        case .slowCommits(let duration):
            slowness += 1
            server.commitDelay = 0.01...1.5
            checks.troubles.add(node: nil, from: now, to: now + duration + 1.5, isSlowness: true)
            simulation.after(duration) { [self] in
                slowness -= 1
                if slowness == 0 { server.commitDelay = 0.000_5...0.004 }
            }
        case .lostResponses(let duration):
            losses += 1
            network.lossProbability = 0.15
            checks.troubles.add(node: nil, from: now, to: now + duration)
            simulation.after(duration) { [self] in
                losses -= 1
                if losses == 0 { network.lossProbability = 0 }
            }
        }
    }

    private func failover(_ down: TimeInterval, _ clockOffset: TimeInterval, losing loss: TimeInterval?) {
        guard server.isUp else { return }
        server.crash(losing: loss)
        checks.tally["failovers", default: 0] += 1
        if loss != nil {
            checks.tally["lossy failovers", default: 0] += 1
            checks.lose(sessions)
        }
        checks.troubles.add(node: nil, from: simulation.now, to: simulation.now + down)
        simulation.after(down) { [self] in server.promote(clockOffset: clockOffset) }
    }

    private func context(_ fields: [String: String] = [:]) -> CallContext { CallContext(fields: fields) }

    private func signIn(_ client: Int, at node: Int) {
        if let session = present[client], !session.isEndRequested { return }
        let reader = client / Plan.devicesPerReader
        let context = context([
            "email": PublisherSystem.name(reader), "password": PublisherSystem.password, "device": "device\(client)",
        ])
        call(node, { try await $0.authorization.signIn(context) }) { [self] result, _, start in
            switch result {
            case .success(.signedIn(let token, _, _)):
                checks.tally["signed in", default: 0] += 1
                let session = Checks.ReaderSession(client: client, token: token)
                // A sign-out ends the sessions of its device until the end of its second. A node that does not know it
                // yet may open another one in that time, which then ends too.
                let (running, last) = signOuts[client] ?? (0, -.infinity)
                session.isEndRequested = running > 0 || last > start - 3
                sessions.append(session)
                present[client] = session
            case .success(.rejected(let rejection)): checks.signInRejected(rejection.reason)
            case .failure: checks.tally["sign-in unavailable", default: 0] += 1
            }
        }
    }

    private func verify(_ session: Checks.ReaderSession, at node: Int) {
        let context = context()
        call(node, { try await $0.authorization.verify(token: session.token, context) }) { [self] result, life, start in
            switch result {
            case .success(let result): checks.verified(session, by: life, from: start, result)
            case .failure: checks.tally["verification unavailable", default: 0] += 1
            }
        }
    }

    private func signOut(_ session: Checks.ReaderSession, at node: Int) {
        guard serving(node) != nil else { return }
        let context = context()
        // It ends all sessions of the device.
        for other in sessions where other.client == session.client { other.isEndRequested = true }
        signOuts[session.client, default: (0, -.infinity)].running += 1
        call(node, { try await $0.authorization.signOut(token: session.token, context) }) { [self] result, life, _ in
            signOuts[session.client]?.running -= 1
            signOuts[session.client]?.last = simulation.now
            switch result {
            case .success:
                checks.tally["signed out", default: 0] += 1
                if session.end == nil { session.end = (simulation.now, life.node) }
                simulation.note("device \(session.client) is signed out by node \(node)")
            case .failure(let error): simulation.violate("a sign-out failed: \(error)")
            }
        }
    }

    private func signInWrongly(at node: Int) {
        wrongPasswords += 1
        let context = context(["email": "victim", "password": "wrong\(wrongPasswords)"])
        call(node, { try await $0.authorization.signIn(context) }) { [self] result, life, start in
            if case .success(let result) = result { checks.rejectedPassword(result, at: life.node, from: start) }
        }
    }

    private func order(_ number: Int, at node: Int) {
        guard let store = StoreName("simulated") else { return }
        let delivery = Delivery(
            id: Delivery.ID(store: store, transaction: "order\(number)"), publication: NodeProcess.publication,
            credit: Credit(account: "account\(number)"), product: "credit", quantity: 1,
            purchased: Simulation.start, environment: .production)
        call(node, { try await $0.order(delivery) }) { [self] _, _, _ in checks.tally["orders", default: 0] += 1 }
    }

    /// Verifies each session at each node.
    private func verifyAll() {
        for session in sessions { for node in 0..<Plan.nodes { verify(session, at: node) } }
    }

    // MARK: Database

    private func committed(_ tables: Set<String>) {
        guard tables.contains("device") else { return }
        do {
            let most = try server.image.run(
                "SELECT count(*) FROM device GROUP BY publication, subscriber ORDER BY 1 DESC LIMIT 1", [])
            guard case .integer(let count)? = most.rows.first?.first else { return }
            if count > NodeProcess.deviceLimit.maxDevices { simulation.violate("a reader has \(count) devices") }
        } catch {
            simulation.violate("the devices cannot be counted: \(error)")
        }
    }
}
