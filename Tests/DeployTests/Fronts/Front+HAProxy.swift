import Foundation
import TestSupport

extension Front {
    func haproxy(_ site: SitePlan) throws -> ServerProcess.Launch {
        let binary = try Installed("/usr/sbin/haproxy", package: "haproxy")
        _ = try site.install("haproxy/gatefold.lua")
        let configuration = try site.install("haproxy/haproxy.cfg")
        return ServerProcess.Launch(
            binary.path, ["-db", "-f", configuration.path], in: site.folder, until: .port(site.port))
    }
}
