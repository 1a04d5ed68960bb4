import Foundation
import Primitives
import State
import TestSupport

/// The state that survives processes: in memory or in a database of its own.
final class StateFile {
    private enum StoredEntry {
        case memory(InMemoryStateStore, InMemorySharedFacts)
        case file(folder: String)
    }

    let outageSwitch = FaultInjectingStore.OutageSwitch()
    private let stored: StoredEntry
    private let clock: WallClock

    init(isOnDisk: Bool, clock: WallClock) throws {
        self.clock = clock
        guard isOnDisk else {
            stored = .memory(InMemoryStateStore(clock: clock), InMemorySharedFacts(clock: clock))
            return
        }
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        let folder = "\(parent)/gatefold-model-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        stored = .file(folder: folder)
    }

    deinit {
        if case .file(let folder) = stored { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Opens a process's own access to the state.
    func open() throws -> FaultInjectingStore {
        switch stored {
        case .memory(let sessions, let facts): return FaultInjectingStore(sessions, facts, outageSwitch)
        case .file(let folder):
            let store = try SQLStateStore(path: folder + "/state.sqlite", clock: clock)
            return FaultInjectingStore(store, store, outageSwitch)
        }
    }
}
