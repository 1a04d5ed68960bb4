import State
import Testing

@Suite("State diagnostics", .stateServers) struct DiagnosticsConformance {
    @Test(
        "A new state is healthy, replaces no other and has no unreadable rows",
        arguments: TestedStore<any StateDiagnostics>.all)
    func new(kind: TestedStore<any StateDiagnostics>) async throws {
        try await kind.with { store in
            try await store.health()
            #expect(!store.didFindOlderState)
            #expect(store.unreadable.byTable.isEmpty)
        }
    }
}
