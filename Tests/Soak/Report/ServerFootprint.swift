import Foundation

/// The resources of a process according to the kernel (proc(5)).
struct ServerFootprint: Sendable, CustomStringConvertible {
    /// The resident memory in kilobytes.
    let resident: Int
    /// The number of files and sockets.
    let descriptors: Int

    init?(of process: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let resident = line.split(separator: " ").compactMap({ Int($0) }).first,
            let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        else { return nil }
        self.resident = resident
        descriptors = open.count
    }

    var description: String { String(format: "%.1f MB and %d descriptors", Double(resident) / 1_024, descriptors) }
}
