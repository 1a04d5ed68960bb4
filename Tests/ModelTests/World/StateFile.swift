import Foundation
import Gatefold
import State
import TestSupport

/// The state that outlives processes: in memory, or in a database of its own.
final class StateFile {
    private enum Kept {
        case memory(VolatileStateStore, VolatileFacts)
        case file(folder: String)
    }

    let trouble = FallibleStore.Trouble()
    private let kept: Kept
    private let clock: WallClock

    init(isOnDisk: Bool, clock: WallClock) throws {
        self.clock = clock
        guard isOnDisk else {
            kept = .memory(VolatileStateStore(clock: clock), VolatileFacts(clock: clock))
            return
        }
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        let folder = "\(parent)/gatefold-model-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        kept = .file(folder: folder)
    }

    deinit {
        if case .file(let folder) = kept { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// A process's own way to it.
    func open() throws -> FallibleStore {
        switch kept {
        case .memory(let sessions, let facts): return FallibleStore(sessions, facts, trouble)
        case .file(let folder):
            let store = try SQLiteStateStore(path: folder + "/state.sqlite", clock: clock)
            return FallibleStore(store, store, trouble)
        }
    }
}
