module example/dropcurve

go 1.21
