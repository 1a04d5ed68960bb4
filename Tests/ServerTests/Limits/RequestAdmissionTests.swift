import Gatefold
import Testing

@testable import Server

@Suite("Pitfall 15: request admission")
struct RequestAdmissionTests {
    private final class Connection {}

    /// A reference to an admission, for single steps.
    private final class Admission {
        private var state: RequestAdmission

        init(_ limits: ListenerLimits) { state = RequestAdmission(limits) }

        var total: Int { state.total }
        func enter(_ connection: ObjectIdentifier, _ address: ClientAddress?) -> RequestAdmission.Rejection? {
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

    @Test("Limits requests per connection, per address and in total")
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

    @Test("A request counts until it leaves, and a rejected one does not count")
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

    @Test("Requests of proxies and of this machine have no limit per address")
    func shared() {
        let admission = Admission(limits)
        for number in 0..<6 { #expect(admission.enter(connection(number), nil) == nil) }
    }

    @Test("IPv6 clients are counted by /64")
    func network() {
        var counts = AddressCounts(limit: 2)
        let texts = ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::1", "2001:db8:0:1::1"]
        let addresses = texts.compactMap { ClientAddress($0) }
        let entered = addresses.map { counts.enter($0) }
        #expect(entered == [true, true, false, true])
        counts.leave(addresses[1])
        let isAdmitted = counts.enter(addresses[2])
        #expect(isAdmitted)
    }
}

@Suite("Pitfall 24: body budget")
struct BodyBudgetTests {
    private let one = ClientAddress("192.0.2.1"), other = ClientAddress("192.0.2.2")

    /// A reference to a budget, for single steps.
    private final class Budget {
        private var state: BodyBudget

        init(limit: Int) { state = BodyBudget(limit: limit) }

        var inUse: Int { state.inUse }
        func take(_ bytes: Int, _ address: ClientAddress?) -> Bool { state.take(bytes, address) }
        func release(_ bytes: Int, _ address: ClientAddress?) { state.release(bytes, address) }
    }

    @Test("The budget is limited in total")
    func total() {
        let budget = Budget(limit: 1_000)
        #expect(budget.take(600, nil) && !budget.take(401, nil) && budget.take(400, nil))
        budget.release(600, nil)
        #expect(budget.inUse == 400 && budget.take(600, nil))
    }

    @Test("The budget grants one address at most a quarter")
    func share() {
        let budget = Budget(limit: 1_000)
        #expect(budget.take(250, one) && !budget.take(1, one) && budget.take(250, other))
        budget.release(250, one)
        #expect(budget.take(250, one))
    }

    @Test("A small body costs nothing, and a larger one costs its buffer size")
    func cost() {
        #expect(BodyBudget.cost(of: 8_192) == 0)
        #expect(BodyBudget.cost(of: 8_193) == 16_384)
        #expect(BodyBudget.cost(of: 16_384) == 16_384)
        #expect(BodyBudget.cost(of: 16_385) == 32_768)
        #expect(BodyBudget.cost(of: 262_144) == 262_144)
    }

    @Test("The budget is released when the request ends, and small bodies need none")
    func load() throws {
        var limits = ListenerLimits()
        limits.bodyMemory = 300_000
        let load = ListenerLoad(limits)
        final class Connection {}
        let connection = Connection()
        func request() -> RequestLoad {
            RequestLoad(of: load, connection: ObjectIdentifier(connection), client: nil, isNotification: false) { _ in }
        }
        let large = request()
        try large.take(262_143)
        let late = request()
        #expect(throws: LimitReached.self) { try late.take(100_000) }
        #expect(late.wasRejected && !large.wasRejected)
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

@Suite("Memory trimming")
struct TrimStateTests {
    @Test("Trims when much memory is free, and not again for memory that a trim could not release")
    func trimming() {
        var state = TrimState()
        let (allocated, much) = (100 << 20, 49 << 20)
        #expect(!state.isWorthwhile(resident: allocated + (47 << 20), allocated: allocated))
        #expect(state.isWorthwhile(resident: allocated + much, allocated: allocated))
        state.didTrim(resident: allocated + (30 << 20), allocated: allocated)
        #expect(!state.isWorthwhile(resident: allocated + much, allocated: allocated))
        #expect(state.isWorthwhile(resident: allocated + much + (30 << 20), allocated: allocated))
        // Without figures from the C library, nothing is trimmed.
        #expect(!state.isWorthwhile(resident: 1 << 30, allocated: 0))
    }
}
