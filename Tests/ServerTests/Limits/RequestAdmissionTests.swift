import Gatefold
import Testing

@testable import Server

@Suite("Pitfall 15: the requests that are worked on")
struct RequestAdmissionTests {
    private final class Connection {}

    /// An admission whose changes are looked at one by one.
    private final class Admission {
        private var state: RequestAdmission

        init(_ limits: ListenerLimits) { state = RequestAdmission(limits) }

        var total: Int { state.total }
        func enter(_ connection: ObjectIdentifier, _ address: ClientAddress?) -> RequestAdmission.Refusal? {
            state.enter(connection, address)
        }
        func leave(_ connection: ObjectIdentifier, _ address: ClientAddress?) { state.leave(connection, address) }
    }

    private let connections = (0..<8).map { _ in Connection() }

    private func connection(_ number: Int) -> ObjectIdentifier { ObjectIdentifier(connections[number]) }

    private var limits: ListenerLimits {
        var limits = ListenerLimits()
        (limits.requests, limits.requestsPerAddress, limits.requestsPerConnection) = (6, 4, 3)
        return limits
    }

    @Test("are bounded for one connection, one address, and in total")
    func bounds() throws {
        let (one, other) = (ClientAddress("192.0.2.1"), ClientAddress("192.0.2.2"))
        let admission = Admission(limits)
        for _ in 0..<3 { #expect(admission.enter(connection(0), one) == nil) }
        #expect(admission.enter(connection(0), one) == .connection)
        #expect(admission.enter(connection(1), one) == nil)
        #expect(admission.enter(connection(1), one) == .address)
        for number in 2...3 { #expect(admission.enter(connection(number), other) == nil) }
        #expect(admission.enter(connection(4), nil) == .total)
        #expect(admission.total == 6)
    }

    @Test("count until they have left, and what was refused does not count")
    func leaving() {
        let address = ClientAddress("192.0.2.1")
        let admission = Admission(limits)
        for round in 0..<100 {
            for _ in 0..<3 { #expect(admission.enter(connection(0), address) == nil, "round \(round)") }
            for _ in 0..<5 { #expect(admission.enter(connection(0), address) == .connection) }
            for _ in 0..<3 { admission.leave(connection(0), address) }
        }
        #expect(admission.total == 0)
    }

    @Test("of proxies and of this machine have no limit of one address")
    func shared() {
        let admission = Admission(limits)
        for number in 0..<6 { #expect(admission.enter(connection(number), nil) == nil) }
    }

    @Test("of an IPv6 client are counted for its /64")
    func network() {
        var counts = AddressCounts(most: 2)
        let texts = ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::1", "2001:db8:0:1::1"]
        let addresses = texts.compactMap { ClientAddress($0) }
        let entered = addresses.map { counts.enter($0) }
        #expect(entered == [true, true, false, true])
        counts.leave(addresses[1])
        let isAdmitted = counts.enter(addresses[2])
        #expect(isAdmitted)
    }
}

@Suite("Pitfall 24: the memory of bodies")
struct BodyBudgetTests {
    private let one = ClientAddress("192.0.2.1"), other = ClientAddress("192.0.2.2")

    /// A budget whose changes are looked at one by one.
    private final class Budget {
        private var state: BodyBudget

        init(most: Int) { state = BodyBudget(most: most) }

        var inUse: Int { state.inUse }
        func take(_ bytes: Int, _ address: ClientAddress?) -> Bool { state.take(bytes, address) }
        func giveBack(_ bytes: Int, _ address: ClientAddress?) { state.giveBack(bytes, address) }
    }

    @Test("is bounded in total")
    func total() {
        let budget = Budget(most: 1_000)
        #expect(budget.take(600, nil) && !budget.take(401, nil) && budget.take(400, nil))
        budget.giveBack(600, nil)
        #expect(budget.inUse == 400 && budget.take(600, nil))
    }

    @Test("is a quarter at most for one address")
    func share() {
        let budget = Budget(most: 1_000)
        #expect(budget.take(250, one) && !budget.take(1, one) && budget.take(250, other))
        budget.giveBack(250, one)
        #expect(budget.take(250, one))
    }

    @Test("costs nothing for a small body, and what its buffer has for a larger one")
    func cost() {
        #expect(BodyBudget.cost(of: 8_192) == 0)
        #expect(BodyBudget.cost(of: 8_193) == 16_384)
        #expect(BodyBudget.cost(of: 16_384) == 16_384)
        #expect(BodyBudget.cost(of: 16_385) == 32_768)
        #expect(BodyBudget.cost(of: 262_144) == 262_144)
    }

    @Test("is given back when the request ends, and a small body is taken where none is left")
    func load() throws {
        var limits = ListenerLimits()
        limits.bodyMemory = 300_000
        let load = ListenerLoad(limits)
        final class Connection {}
        let connection = Connection()
        func request() -> RequestLoad {
            RequestLoad(of: load, connection: ObjectIdentifier(connection), client: nil, isNotification: false)
        }
        let large = request()
        try large.take(262_143)
        let late = request()
        #expect(throws: LimitReached.self) { try late.take(100_000) }
        #expect(late.wasRefused && !large.wasRefused)
        late.end()
        let small = request()
        try small.take(8_000)
        try small.beginWork()
        small.end()
        large.end()
        large.end()
        let next = request()
        try next.take(262_143)
        next.end()
    }
}

@Suite("Memory that is given back")
struct TrimStateTests {
    @Test("is trimmed where much is free, and not again for what trimming could not give back")
    func trimming() {
        var state = TrimState()
        let (allocated, much) = (100 << 20, 49 << 20)
        #expect(!state.isWorthwhile(resident: allocated + (47 << 20), allocated: allocated))
        #expect(state.isWorthwhile(resident: allocated + much, allocated: allocated))
        state.didTrim(resident: allocated + (30 << 20), allocated: allocated)
        #expect(!state.isWorthwhile(resident: allocated + much, allocated: allocated))
        #expect(state.isWorthwhile(resident: allocated + much + (30 << 20), allocated: allocated))
        // Where the C library says nothing, nothing is done.
        #expect(!state.isWorthwhile(resident: 1 << 30, allocated: 0))
    }
}
