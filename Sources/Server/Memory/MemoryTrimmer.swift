import CResidency
import Foundation
import ServiceLifecycle

/// Gives memory back to the system after a rush: what was freed in small pieces, the C library keeps by itself (PITFALLS row 24).
struct MemoryTrimmer: Service {
    private static let pause = Duration.seconds(15)

    /// Call it before anything large is allocated.
    static func prepare() { cresidency_return_large_blocks() }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var state = TrimState()
            while (try? await Task.sleep(for: Self.pause)) != nil {
                guard let resident = Self.resident() else { return }
                guard state.isWorthwhile(resident: resident, allocated: Int(cresidency_allocated())) else { continue }
                cresidency_trim()
                state.didTrim(resident: Self.resident() ?? 0, allocated: Int(cresidency_allocated()))
            }
        }
    }

    /// In bytes; nil where the system does not say.
    private static func resident() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// Decides when trimming is worth its time: it locks every part of the heap in turn.
struct TrimState {
    /// In bytes.
    static let threshold = 48 << 20
    /// What trimming could not give back the last time: code, stacks, and pages with something in use.
    private var rest = 0

    func isWorthwhile(resident: Int, allocated: Int) -> Bool {
        allocated > 0 && resident - allocated > rest + Self.threshold
    }

    mutating func didTrim(resident: Int, allocated: Int) {
        rest = max(0, resident - allocated)
    }
}
