import Foundation
import TestSupport

extension Front {
    func varnish(_ site: SitePlan) throws -> ServerProcess.Launch {
        let binary = try Installed("/usr/sbin/varnishd", package: "varnish")
        let configuration = try site.install("varnish/gatefold.vcl")
        return ServerProcess.Launch(
            binary.path,
            [
                "-F", "-n", site.folder.appendingPathComponent("varnish").path, "-a", "127.0.0.1:\(site.port)",
                "-f", configuration.path, "-s", "malloc,64m",
            ],
            in: site.folder, until: .port(site.port))
    }
}
