import CResidency
import Foundation
import ServiceLifecycle

/// A service that returns memory to the system after a load peak, because the C library retains memory that was
/// freed in small pieces. Source: Pitfall 24, “Buffered bytes without a total limit”.
struct MemoryTrimmer: Service {
    private static let pause = Duration.seconds(15)

    /// Configures the allocator. Call this function before any large allocation.
    static func prepare() { cresidency_configure_allocator() }

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

    /// Returns the resident memory in bytes, or nil if the system does not report it.
    private static func resident() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// The state that decides whether trimming is worth its cost. Trimming locks every part of the heap in turn.
struct TrimState {
    /// The threshold of reclaimable memory, in bytes: 48 MiB.
    static let threshold = 48 << 20
    /// The memory that the last trimming could not return: code, stacks, and pages that are partly in use.
    private var rest = 0

    func isWorthwhile(resident: Int, allocated: Int) -> Bool {
        allocated > 0 && resident - allocated > rest + Self.threshold
    }

    mutating func didTrim(resident: Int, allocated: Int) {
        rest = max(0, resident - allocated)
    }
}
